import { type Selectable, sql } from "kysely";
import type { Database } from "../database/database.js";
import { prepare } from "../database/prepared.js";
import { qb } from "../database/schema.js";
import { type Integer, integer } from "../platform/integer.js";
import type { PollRow, PollStore } from "../platform/poller.js";
import { MINUTE_MS } from "../platform/units.js";
import type { JobKey } from "./job-key.js";
import type { RemoteJobTable } from "./remote-job-table.js";

type RemoteJobColumns = Selectable<RemoteJobTable>;

/** An open job of the service. Times in ms since the epoch. */
export interface RemoteJobRow extends PollRow {
  readonly id: string;
  /** The number of answers in a row that the job does not exist, and when the first one came. */
  readonly notFoundCount: number;
  readonly notFoundSince: Integer | undefined;
  /** Milliseconds since the epoch at which the job was done without a link. */
  readonly linklessSince: Integer | undefined;
}

const openJobs = () => qb.selectFrom("remote_job").where("due_at", "is not", sql.lit(null));
const selectDue = prepare<{ now: Integer; limit: number }, RemoteJobColumns>((p) =>
  openJobs().selectAll().where("due_at", "<=", p.now).orderBy("due_at").limit(p.limit),
);
const selectNext = prepare<{ now: Integer }, { due_at: Integer }>((p) =>
  openJobs()
    .select("due_at")
    .$narrowType<{ due_at: Integer }>()
    .where("due_at", ">", p.now)
    .orderBy("due_at")
    .limit(sql.lit(1)),
);
const selectLost = prepare<{ id: string }, { id: string }>((p) =>
  qb.selectFrom("remote_job").select("id").where("id", "=", p.id).where("due_at", "is", sql.lit(null)),
);
const countOpen = prepare<object, { count: number }>(() =>
  openJobs().select((eb) => eb.fn.countAll<number>().as("count")),
);
const insertNew = prepare<{ id: string; since: Integer; due_at: Integer }>((p) =>
  qb
    .insertInto("remote_job")
    .values({ id: p.id, since: p.since, due_at: p.due_at })
    .onConflict((conflict) => conflict.column("id").doNothing()),
);
const setDue = prepare<{ id: string; due_at: Integer }>((p) =>
  qb
    .updateTable("remote_job")
    .set({ due_at: p.due_at })
    .where("id", "=", p.id)
    .where("due_at", "is not", sql.lit(null)),
);
const setNotFound = prepare<{ id: string; count: number; since: Integer | null }>((p) =>
  qb
    .updateTable("remote_job")
    .set({ not_found_count: p.count, not_found_since: p.since })
    .where("id", "=", p.id),
);
const setLinkless = prepare<{ id: string; since: Integer }>((p) =>
  qb.updateTable("remote_job").set({ linkless_since: p.since }).where("id", "=", p.id),
);
const setLost = prepare<{ id: string }>((p) =>
  qb
    .updateTable("remote_job")
    .set({ due_at: sql.lit(null) })
    .where("id", "=", p.id),
);
const deleteOne = prepare<{ id: string }>((p) => qb.deleteFrom("remote_job").where("id", "=", p.id));

/** Rows that the clock, set back, has left in the future. `soon`: the latest due time. */
interface RewindRange {
  now: Integer;
  soon: Integer;
}
const isOfFuture = (p: RewindRange) =>
  sql<boolean>`(since > ${p.now} OR not_found_since > ${p.now} OR linkless_since > ${p.now} OR due_at > ${p.soon})`;
const selectOfFuture = prepare<RewindRange, { id: string }>((p) =>
  openJobs().select("id").where(isOfFuture(p)).limit(sql.lit(1)),
);
const rewindAll = prepare<RewindRange>((p) =>
  qb
    .updateTable("remote_job")
    .set({
      due_at: sql`min(due_at, iif(since > ${p.now}, ${p.now}, ${p.soon}))`,
      since: sql`min(since, ${p.now})`,
      not_found_since: sql`min(not_found_since, ${p.now})`,
      linkless_since: sql`min(linkless_since, ${p.now})`,
    })
    .where("due_at", "is not", sql.lit(null))
    .where(isOfFuture(p)),
);

/** The longest usual pause. A job that is old enough for a longer one is asked about once more. */
const PAUSE_MAX_MS = MINUTE_MS;

/** A test checks that each of these queries uses an index. */
export const REMOTE_JOB_QUERIES = { selectDue, selectNext, selectLost, selectOfFuture };

/** Stores the jobs that are polled, and those that the service no longer knows. */
export class RemoteJobStore implements PollStore<RemoteJobRow> {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  due(now: Integer, limit: number): readonly RemoteJobRow[] {
    return this.#database.all(selectDue, { now, limit }).map(rowOf);
  }

  nextDueAfter(now: Integer): number | undefined {
    return this.#database.first(selectNext, { now })?.due_at;
  }

  /** Joins other writes: a lost one only repeats a poll. */
  postpone(id: string, dueAt: Integer): Promise<void> {
    return this.#database.writeLazily("remote:postponed", (tx) => void tx.run(setDue, { id, due_at: dueAt }));
  }

  /** Makes a row of the future as old as now, and due soon. */
  async rewind(now: Integer): Promise<void> {
    const range = { now, soon: integer(now + PAUSE_MAX_MS) };
    if (!this.#database.first(selectOfFuture, range)) return;
    await this.#database.write("remote:rewound", (tx) => void tx.run(rewindAll, range));
  }

  setAllDue(ids: readonly string[], dueAt: Integer): Promise<void> {
    return this.#database.write("remote:due", (tx) => {
      for (const id of ids) tx.run(setDue, { id, due_at: dueAt });
    });
  }

  /** Adds jobs. Changes nothing for those that are known. */
  add(keys: readonly JobKey[], since: Integer, dueAt: Integer): Promise<void> {
    return this.#database.write("remote:followed", (tx) => {
      for (const id of keys) tx.run(insertNew, { id, since, due_at: dueAt });
    });
  }

  setNotFound(id: string, count: number, since: Integer | undefined): Promise<void> {
    const row = { id, count, since: since ?? null };
    return this.#database.write("remote:not-found", (tx) => void tx.run(setNotFound, row));
  }

  setLinkless(id: string, since: Integer): Promise<void> {
    return this.#database.write("remote:linkless", (tx) => void tx.run(setLinkless, { id, since }));
  }

  markLost(id: JobKey): Promise<void> {
    return this.#database.write("remote:lost", (tx) => void tx.run(setLost, { id }));
  }

  isLost(id: JobKey): boolean {
    return this.#database.first(selectLost, { id }) !== undefined;
  }

  remove(id: string): Promise<void> {
    return this.#database.writeLazily("remote:ended", (tx) => void tx.run(deleteOne, { id }));
  }

  open(): number {
    return this.#database.first(countOpen, {})?.count ?? 0;
  }
}

function rowOf(row: RemoteJobColumns): RemoteJobRow {
  return {
    id: row.id,
    since: row.since,
    dueAt: row.due_at ?? 0,
    notFoundCount: row.not_found_count,
    notFoundSince: row.not_found_since ?? undefined,
    linklessSince: row.linkless_since ?? undefined,
  };
}
