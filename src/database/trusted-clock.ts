import type { Clock } from "../platform/clock.js";
import { type Integer, integer } from "../platform/integer.js";
import type { Logger } from "../platform/logger.js";
import { DAY_MS } from "../platform/units.js";
import type { Database } from "./database.js";
import type { TrustedClockRow } from "./prepared.js";
import { table } from "./table.js";

/** Time after which a leap is trusted. Waiting costs disk space; a wrong date costs what is removed. */
export const LEAP_CONFIRMED_MS = DAY_MS;

/** What the last look has seen. The start of a doubt is by the doubted clock. */
export type ClockRecord = Omit<TrustedClockRow, "name">;

const clocks = table("trusted_clock");

/** Judges the current time by the record of the last check. A leap ahead of more than `leapMs` is not trusted. */
export function judgeClock(known: ClockRecord | undefined, now: Integer, leapMs: number): ClockRecord {
  const trusted = { trusted_at: now, seen_at: now, doubted_since: null };
  if (!known || now - known.trusted_at <= leapMs) return trusted;
  const { trusted_at, seen_at, doubted_since } = known;
  const isSameDoubt = doubted_since !== null && now >= seen_at && now - seen_at <= leapMs;
  const since = isSameDoubt ? doubted_since : now;
  return now - since >= LEAP_CONFIRMED_MS ? trusted : { trusted_at, seen_at: now, doubted_since: since };
}

/** Tells the time for what is removed by its age. A leap ahead does not count until it has lasted a day. */
export class TrustedClock {
  #last: { at: Integer; monotonic: number } | undefined;

  /** @param leapMs largest leap that is trusted at once; a larger one, such as of a start with a wrong date, not for a day */
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly logger: Logger,
    private readonly name: "media" | "keys" | "chat",
    private readonly leapMs: number,
  ) {}

  /** Never runs ahead of the clock itself, nor of what has passed since the last check that trusted it. */
  now(): Integer {
    const now = this.clock.now();
    if (!this.#last) {
      const { trusted_at } = judgeClock(this.#read(), now, this.leapMs);
      this.#last = { at: trusted_at, monotonic: this.clock.monotonic() };
    }
    return integer(Math.min(now, this.#last.at + this.clock.monotonic() - this.#last.monotonic));
  }

  /** Records the current time, every hour. Returns true when it is trusted. A doubt survives restarts. */
  async check(): Promise<boolean> {
    const now = this.clock.now();
    const known = this.#read();
    const judged = judgeClock(known, now, this.leapMs);
    const { trusted_at, doubted_since } = judged;
    if (doubted_since === null) this.#last = { at: now, monotonic: this.clock.monotonic() };
    await this.database.write("clock:seen", (tx) =>
      clocks.save(tx, ["name"], { ...judged, name: this.name }),
    );
    if (doubted_since === now) {
      const times = { clock_at: new Date(now).toISOString(), trusted_at: new Date(trusted_at).toISOString() };
      this.logger.error(
        { ...times, removed: this.name },
        "clock far ahead of its last check: nothing is removed for a day",
      );
    } else if (doubted_since === null && known?.doubted_since != null) {
      this.logger.info({ removed: this.name }, "clock trusted again: what has expired is removed");
    }
    return doubted_since === null;
  }

  #read(): ClockRecord | undefined {
    return clocks.get(this.database, { name: this.name });
  }
}
