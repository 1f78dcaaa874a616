import { sql } from "kysely";
import type { Database } from "../database/database.js";
import { prepare, qb } from "../database/prepared.js";
import type { Integer } from "../platform/integer.js";

/** What a restore compares. Numbers of rows are 0 where there are none. */
export interface RestoreFacts {
  entries: number;
  /** Time of the last ledger entry, in ms since the epoch; null where there is none. */
  lastEntryAt: Integer | null;
  lastJobId: number;
  lastAttemptId: number;
  /** Number of attempts that services may be making, or may have been sent since. */
  openAttempts: number;
}

const selectEntries = prepare<object, { count: number; at: Integer | null }>(() =>
  qb
    .selectFrom("ledger_entry")
    .select((eb) => [eb.fn.countAll<number>().as("count"), eb.fn.max("created_at").as("at")]),
);
const selectLastJob = prepare<object, { id: number | null }>(() =>
  qb.selectFrom("job").select((eb) => eb.fn.max("id").as("id")),
);
const selectLastAttempt = prepare<object, { id: number | null }>(() =>
  qb.selectFrom("attempt").select((eb) => eb.fn.max("attempt_id").as("id")),
);
const countOpenAttempts = prepare<object, { count: number }>(() =>
  qb
    .selectFrom("attempt")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where(sql<boolean>`state IN ('planned', 'sending', 'accepted', 'ready')`),
);
const countSentAfter = prepare<{ id: number }, { count: number }>((p) =>
  qb
    .selectFrom("attempt")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("attempt_id", ">", p.id)
    .where("submitted_at", "is not", sql.lit(null)),
);

export function restoreFacts(database: Database): RestoreFacts {
  const entries = database.first(selectEntries, {});
  return {
    entries: entries?.count ?? 0,
    lastEntryAt: entries?.at ?? null,
    lastJobId: database.first(selectLastJob, {})?.id ?? 0,
    lastAttemptId: database.first(selectLastAttempt, {})?.id ?? 0,
    openAttempts: database.first(countOpenAttempts, {})?.count ?? 0,
  };
}

/** Counts the attempts that were sent after one with this number. */
export function attemptsSentAfter(database: Database, attemptId: number): number {
  return database.first(countSentAfter, { id: attemptId })?.count ?? 0;
}
