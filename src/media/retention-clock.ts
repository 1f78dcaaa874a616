import type { Database } from "../database/database.js";
import { prepare, queryBuilder } from "../database/prepared.js";
import type { Clock } from "../platform/clock.js";
import type { Logger } from "../platform/logger.js";
import { DAY_MS } from "../platform/units.js";

/** A larger leap ahead is not trusted. Looks are an hour apart, so this allows two days without power. */
export const CLOCK_LEAP_MS = 2 * DAY_MS;
/** A leap that lasts this long is trusted. Waiting costs disk space; a wrong date costs files. */
export const LEAP_CONFIRMED_MS = DAY_MS;

export interface ClockRecord {
  trustedAt: number;
  seenAt: number;
  /** Start of the doubt, by the doubted clock; null while the clock is trusted. */
  doubtedSince: number | null;
}

interface ClockRow {
  id: number;
  trusted_at: number;
  seen_at: number;
  doubted_since: number | null;
}

const qb = queryBuilder<{ retention_clock: ClockRow }>();
const select = prepare<object, ClockRow>(() => qb.selectFrom("retention_clock").selectAll());
const save = prepare<Omit<ClockRow, "id">>((p) =>
  qb
    .insertInto("retention_clock")
    .values({ id: 1, trusted_at: p.trusted_at, seen_at: p.seen_at, doubted_since: p.doubted_since })
    .onConflict((conflict) =>
      conflict.column("id").doUpdateSet((eb) => ({
        trusted_at: eb.ref("excluded.trusted_at"),
        seen_at: eb.ref("excluded.seen_at"),
        doubted_since: eb.ref("excluded.doubted_since"),
      })),
    ),
);

/** Judges the current time by the record of the last look. Times are in ms since the epoch. */
export function judgeClock(known: ClockRecord | undefined, now: number): ClockRecord {
  const trusted = { trustedAt: now, seenAt: now, doubtedSince: null };
  if (!known || now - known.trustedAt <= CLOCK_LEAP_MS) return trusted;
  const { trustedAt, seenAt, doubtedSince } = known;
  // A further leap in either direction starts a new doubt.
  const isSameDoubt = doubtedSince !== null && now >= seenAt && now - seenAt <= CLOCK_LEAP_MS;
  const since = isSameDoubt ? doubtedSince : now;
  return now - since >= LEAP_CONFIRMED_MS ? trusted : { trustedAt, seenAt: now, doubtedSince: since };
}

export interface RetentionClockOptions {
  database: Database;
  clock: Clock;
  logger: Logger;
}

/**
 * Records the current time. Returns true when files may be removed by it. A doubt survives restarts and ends
 * when the clock is corrected or has run on for a day.
 */
export async function isClockTrusted({ database, clock, logger }: RetentionClockOptions): Promise<boolean> {
  const now = Math.floor(clock.now());
  const row = database.first(select, {});
  const known = row && {
    trustedAt: row.trusted_at,
    seenAt: row.seen_at,
    doubtedSince: row.doubted_since,
  };
  const judged = judgeClock(known, now);
  const { trustedAt, seenAt, doubtedSince } = judged;
  await database.write("media:clock", (tx) =>
    tx.run(save, { trusted_at: trustedAt, seen_at: seenAt, doubted_since: doubtedSince }),
  );
  if (doubtedSince === now) {
    const times = { clock_at: new Date(now).toISOString(), trusted_at: new Date(trustedAt).toISOString() };
    logger.error(times, "clock far ahead of its last check: no file is deleted for a day");
  } else if (doubtedSince === null && known?.doubtedSince != null) {
    logger.info("clock trusted again: expired files are deleted");
  }
  return doubtedSince === null;
}
