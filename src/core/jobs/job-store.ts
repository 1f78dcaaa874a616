import { type Insertable, type Selectable, sql } from "kysely";
import type { Failure } from "../../contract/job.js";
import type { Database } from "../../database/database.js";
import { prepare } from "../../database/prepared.js";
import { qb } from "../../database/schema.js";
import type { Transaction } from "../../database/transaction.js";
import type { Integer } from "../../platform/integer.js";
import type { JobTable } from "./job-table.js";

export type JobRow = Readonly<Selectable<JobTable>>;

export type NewJob = Pick<
  JobRow,
  | "account_id"
  | "origin"
  | "order_id"
  | "order_index"
  | "type"
  | "model_key"
  | "model"
  | "model_title"
  | "request"
  | "seed"
  | "cost"
  | "reference_count"
  | "provider"
  | "tracks"
  | "created_at"
>;

// Statuses are SQL literals, not parameters, so that the planner can use a partial index.
const QUEUED = sql.lit("queued" as const);
const GENERATING = sql.lit("generating" as const);

const insertJob = prepare<NewJob>((p) =>
  qb.insertInto("job").values({
    account_id: p.account_id,
    origin: p.origin,
    order_id: p.order_id,
    order_index: p.order_index,
    type: p.type,
    model_key: p.model_key,
    model: p.model,
    model_title: p.model_title,
    request: p.request,
    seed: p.seed,
    cost: p.cost,
    reference_count: p.reference_count,
    provider: p.provider,
    tracks: p.tracks,
    created_at: p.created_at,
    status: QUEUED,
    is_refunded: sql.lit(0 as const),
    attempts: sql.lit(0),
  } satisfies Partial<Record<keyof Insertable<JobTable>, unknown>>),
);
const selectById = prepare<{ id: number }, JobRow>((p) =>
  qb.selectFrom("job").selectAll().where("id", "=", p.id),
);
const selectOrder = prepare<{ accountId: number; orderId: string }, JobRow>((p) =>
  qb
    .selectFrom("job")
    .selectAll()
    .where("account_id", "=", p.accountId)
    .where("order_id", "is not", sql.lit(null))
    .where("order_id", "=", p.orderId)
    .orderBy("order_index"),
);
const selectNextQueued = prepare<{ provider: string; after: number }, { id: number; account_id: number }>(
  (p) =>
    qb
      .selectFrom("job")
      .select(["id", "account_id"])
      .where("status", "=", QUEUED)
      .where("reference_count", "=", sql.lit(0))
      .where("provider", "=", p.provider)
      .where("account_id", ">", p.after)
      .orderBy("account_id")
      .orderBy("id")
      .limit(sql.lit(1)),
);
const selectGenerating = prepare<object, JobRow>(() =>
  qb.selectFrom("job").selectAll().where("status", "=", GENERATING).orderBy("id"),
);
const updateStarted = prepare<{ id: number; at: Integer }, JobRow>((p) =>
  qb
    .updateTable("job")
    .set((eb) => ({ status: GENERATING, attempts: eb("attempts", "+", eb.lit(1)), started_at: p.at }))
    .where("id", "=", p.id)
    .where("status", "in", [QUEUED, GENERATING])
    .returningAll(),
);
const updateInterrupted = prepare<{ id: number }>((p) =>
  qb
    .updateTable("job")
    .set((eb) => ({ attempts: eb("attempts", "-", eb.lit(1)) }))
    .where("id", "=", p.id)
    .where("status", "=", GENERATING),
);
const updateDone = prepare<{ id: number; at: Integer }>((p) =>
  qb
    .updateTable("job")
    .set({ status: sql.lit("done" as const), finished_at: p.at })
    .where("id", "=", p.id)
    .where("status", "=", GENERATING),
);
const updateFailed = prepare<{
  id: number;
  at: Integer;
  failure: Failure;
  error: string;
  isRefunded: 0 | 1;
}>((p) =>
  qb
    .updateTable("job")
    .set({
      status: sql.lit("error" as const),
      failure: p.failure,
      error: p.error,
      is_refunded: p.isRefunded,
      finished_at: p.at,
    })
    .where("id", "=", p.id)
    .where("status", "=", GENERATING),
);

const updatePaidBack = prepare<{ id: number; at: Integer }>((p) =>
  qb.updateTable("job").set({ paid_back_at: p.at }).where("id", "=", p.id),
);

const updateProvider = prepare<{ id: number; from: string; to: string; declinedBy: string }, JobRow>((p) =>
  qb
    .updateTable("job")
    .set({ provider: p.to, declined_by: p.declinedBy })
    .where("id", "=", p.id)
    .where("status", "in", [QUEUED, GENERATING])
    .where("provider", "=", p.from)
    .returningAll(),
);

export const QUEUE_QUERIES = { selectNextQueued, selectGenerating, selectOrder };

type Source = Transaction | Database;

export function insertNewJob(tx: Transaction, job: NewJob): number {
  return tx.insert(insertJob, job);
}

export function jobById(source: Source, id: number): JobRow | undefined {
  return source.first(selectById, { id });
}

/** Returns jobs of an order by `order_index`; none when the order was never accepted. */
export function jobsOfOrder(source: Source, accountId: number, orderId: string): JobRow[] {
  return source.all(selectOrder, { accountId, orderId });
}

/** Finds the oldest queued job without references of the next account after `after` that has one at a provider. */
export function nextQueuedAfter(
  source: Source,
  provider: string,
  after: number,
): { id: number; account_id: number } | undefined {
  return source.first(selectNextQueued, { provider, after });
}

export function generatingJobs(source: Source): JobRow[] {
  return source.all(selectGenerating, {});
}

/** Starts a queued job or restarts an interrupted one; undefined when it has ended. */
export function startJob(tx: Transaction, id: number, at: Integer): JobRow | undefined {
  const job = tx.first(updateStarted, { id, at });
  // Copied, as it is kept: a row as SQLite gives it is a dictionary, of three times the memory.
  return job && { ...job };
}

/** Takes back the attempt of a job that the service itself interrupted. */
export function forgetAttempt(tx: Transaction, id: number): void {
  tx.run(updateInterrupted, { id });
}

/** Returns false when the job was not `generating`. */
export function finishJob(tx: Transaction, id: number, at: Integer): boolean {
  return tx.run(updateDone, { id, at }) === 1;
}

export function failJob(
  tx: Transaction,
  id: number,
  ending: { at: Integer; failure: Failure; error: string; isRefunded: boolean },
): boolean {
  const { at, failure, error } = ending;
  return tx.run(updateFailed, { id, at, failure, error, isRefunded: ending.isRefunded ? 1 : 0 }) === 1;
}

export function markPaidBack(tx: Transaction, id: number, at: Integer): void {
  tx.run(updatePaidBack, { id, at });
}

/** Gives a job to another provider; undefined when it has ended or is no longer the first one's. */
export function moveJob(
  tx: Transaction,
  move: { id: number; from: string; to: string; declinedBy: string },
): JobRow | undefined {
  return tx.first(updateProvider, move);
}
