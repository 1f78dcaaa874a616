import { sql } from "kysely";
import type { Database } from "../database/database.js";
import { prepare, qb } from "../database/prepared.js";
import type { Integer } from "../platform/integer.js";

/** What a restore compares. Numbers of rows are 0 where there are none. */
export interface RestoreFacts {
  lastEntryId: number;
  /** Time of the last ledger entry, in ms since the epoch; null where there is none. */
  lastEntryAt: Integer | null;
  lastJobId: number;
  lastAttemptId: number;
  /** Number of attempts that services may be making, or may have been sent since. */
  openAttempts: number;
}

/** The data that was there before a restore; `facts` are undefined where it cannot be read. */
export interface DataBefore {
  facts: (RestoreFacts & { lostEntries: number; lostAttempts: number | null }) | undefined;
  /** True for data of a newer program, which nothing is known of here. */
  isNewer?: boolean;
}

export interface RestoreReport {
  /** Moment of the backup, as ISO 8601. */
  madeAt: string;
  /** What the restored data has. */
  facts: RestoreFacts;
  before: DataBefore | undefined;
  /** Folder with the data of before; undefined where there was none. */
  keptIn: string | undefined;
}

const selectFacts = prepare<object, RestoreFacts>(() =>
  qb
    .selectNoFrom((eb) => [
      eb
        .selectFrom("ledger_entry")
        .select(({ fn, lit }) => fn.coalesce(fn.max("id"), lit(0)).as("id"))
        .as("lastEntryId"),
      eb
        .selectFrom("ledger_entry")
        .select(({ fn }) => fn.max("created_at").as("at"))
        .as("lastEntryAt"),
      eb
        .selectFrom("job")
        .select(({ fn, lit }) => fn.coalesce(fn.max("id"), lit(0)).as("id"))
        .as("lastJobId"),
      eb
        .selectFrom("attempt")
        .select(({ fn, lit }) => fn.coalesce(fn.max("attempt_id"), lit(0)).as("id"))
        .as("lastAttemptId"),
      eb
        .selectFrom("attempt")
        .select(({ fn }) => fn.countAll().as("n"))
        .where(sql<boolean>`state IN ('planned', 'sending', 'accepted', 'ready')`)
        .as("openAttempts"),
    ])
    .$castTo<RestoreFacts>(),
);
type LastIds = Pick<RestoreFacts, "lastEntryId" | "lastAttemptId">;

const countAfter = prepare<LastIds, { entries: number; attempts: number }>((p) =>
  qb
    .selectNoFrom((eb) => [
      eb
        .selectFrom("ledger_entry")
        .select(({ fn }) => fn.countAll().as("n"))
        .where("id", ">", p.lastEntryId)
        .as("entries"),
      eb
        .selectFrom("attempt")
        .select(({ fn }) => fn.countAll().as("n"))
        .where("attempt_id", ">", p.lastAttemptId)
        .where("submitted_at", "is not", sql.lit(null))
        .as("attempts"),
    ])
    .$castTo<{ entries: number; attempts: number }>(),
);

export function restoreFacts(database: Database): RestoreFacts {
  const facts = database.first(selectFacts, {});
  if (!facts) throw new Error("a database has no facts");
  return facts;
}

/** Counts the entries that were written, and the attempts that were sent, after those with these numbers. */
export function countedAfter(database: Database, last: LastIds): { entries: number; attempts: number } {
  return database.first(countAfter, last) ?? { entries: 0, attempts: 0 };
}
