import { type Generated, type Selectable, sql } from "kysely";
import type { Origin } from "../accounts/statement-store.js";
import { type SoldOperation, storedOperation } from "../catalogue/operation.js";
import type { Failure, JobId, JobStatus } from "../contract/job.js";
import type { GenerationType } from "../contract/model.js";
import type { Kopecks } from "../contract/price.js";
import { type GenerationRequest, storedRequest } from "../contract/request.js";
import type { Reads, Transaction } from "../database/database.js";
import { JsonColumn } from "../database/json-column.js";
import { prepare, qb } from "../database/prepared.js";
import { moreThan, table } from "../database/table.js";
import type { Integer } from "../platform/integer.js";

const MUSIC_ID = /^music_([1-9]\d{0,15})$/;

/** Formats a public job id: `music_<n>` for music, else the row id. */
export function publicJobId(type: GenerationType, id: number): JobId {
  return type === "music" ? `music_${id}` : id;
}

/** Parses a public job id; undefined when it is malformed. */
export function parseJobId(id: JobId): { row: number; isMusic: boolean } | undefined {
  const isMusic = typeof id === "string";
  const row = isMusic ? Number(MUSIC_ID.exec(id)?.[1] ?? Number.NaN) : id;
  return Number.isSafeInteger(row) && row > 0 ? { row, isMusic } : undefined;
}

/** What was sold with a job, until it has ended. */
export interface JobOperationTable {
  job_id: number;
  operation: string;
}

interface JobTable {
  id: Generated<number>;
  account_id: number;
  origin: Origin;
  /** Null for API requests without an idempotency key. */
  order_id: string | null;
  order_index: number;
  type: GenerationType;
  model_key: string;
  model: string;
  model_title: string;
  request: string;
  seed: number;
  cost: Kopecks;
  reference_count: Generated<number>;
  provider: Generated<string>;
  /** Names of providers that gave it back, as JSON. */
  declined_by: Generated<string>;
  /** Tracks to make; 1 for images and videos. */
  tracks: Generated<number>;
  status: JobStatus;
  failure: Failure | null;
  error: string | null;
  is_refunded: 0 | 1;
  /** Milliseconds since the epoch at which the charge of a done job was refunded: its files were lost. */
  paid_back_at: Integer | null;
  attempts: number;
  /** Times are in milliseconds since the epoch. */
  created_at: Integer;
  started_at: Integer | null;
  finished_at: Integer | null;
}

declare module "../database/prepared.js" {
  interface Schema {
    job: JobTable;
    job_operation: JobOperationTable;
  }
}

export type JobRow = Readonly<Selectable<JobTable>>;

// Statuses are SQL literals, not parameters, so that the planner can use a partial index.
const QUEUED = sql.lit("queued" as const);
const GENERATING = sql.lit("generating" as const);

export const JOB_OPERATION = new JsonColumn<SoldOperation>("job_operation", "operation", storedOperation);

const jobs = table("job", ["status"]);
const operations = table("job_operation");
const selectNextQueued = prepare<{ provider: string; after: number }, Turn>((p) =>
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

export const QUEUE_QUERIES = { selectNextQueued };

export function jobById(source: Reads, id: number): JobRow | undefined {
  return jobs.get(source, { id });
}

/** Returns jobs of an order by `order_index`; none when the order was never accepted. */
export function jobsOfOrder(source: Reads, accountId: number, orderId: string): JobRow[] {
  return jobs.all(source, { account_id: accountId, order_id: orderId }, { orderBy: ["order_index"] });
}

/** Returns the jobs of an account after one, the oldest first. */
export function jobsOfAccount(source: Reads, account_id: number, after: number, limit: number): JobRow[] {
  return jobs.all(source, { account_id, id: moreThan(after) }, { orderBy: ["id"], limit });
}

/** Finds the oldest queued job without references of the next account after `after` that has one at a provider. */
export function nextQueuedAfter(source: Reads, provider: string, after: number): Turn | undefined {
  return source.first(selectNextQueued, { provider, after });
}

export function generatingJobs(source: Reads): JobRow[] {
  return jobs.all(source, { status: "generating" }, { orderBy: ["id"] });
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

/** Gives a job to another provider; undefined when it has ended or is no longer the first one's. */
export function moveJob(
  tx: Transaction,
  { id, from, to, declinedBy }: { id: number; from: string; to: string; declinedBy: string },
): JobRow | undefined {
  const change = { provider: to, declined_by: declinedBy };
  const isMoved = jobs.update(tx, { id, provider: from, finished_at: null }, change) === 1;
  return isMoved ? jobById(tx, id) : undefined;
}

export function storedRequestOf(request: GenerationRequest): string {
  const { count: _count, ...rest } = request;
  return JSON.stringify(rest);
}

export const JOB_REQUEST = new JsonColumn<GenerationRequest>("job", "request", storedRequest);

/** Lists links to reference images in the provider's order: frames, then references. */
export function referenceLinks(request: GenerationRequest): string[] {
  const { start_frame_url, end_frame_url, reference_urls } = request;
  const frames = [start_frame_url, end_frame_url].filter((link) => typeof link === "string");
  return Array.isArray(reference_urls) ? [...frames, ...(reference_urls as string[])] : frames;
}

/** Replaces what was stored before. @param sold undefined for a renderer */
export function storeOperation(tx: Transaction, jobId: number, sold: SoldOperation | undefined): void {
  if (sold) operations.save(tx, ["job_id"], { job_id: jobId, operation: JSON.stringify(sold) });
  else operations.delete(tx, { job_id: jobId });
}

/** Returns what was sold; undefined where nothing makes it, and for a row that cannot be read: it holds up no other job. */
export function operationOfJob(source: Reads, jobId: number): SoldOperation | undefined {
  const row = operations.get(source, { job_id: jobId });
  try {
    return row && JOB_OPERATION.read(row.operation);
  } catch {
    return undefined;
  }
}

export interface Shares {
  concurrency: number;
  lastAccount: number;
  running: Pick<ReadonlyMap<number, number>, "get">;
}

type Turn = Pick<JobRow, "id" | "account_id">;

/**
 * Picks the next job. Accounts take turns in id order, each with its oldest job first. While several accounts
 * wait, each holds at most `concurrency - 1` slots (at least 1), so that a new account is served when the
 * next job ends. An account over that limit gets a slot only when nobody else can use it.
 */
export function pickNext(nextAfter: (account: number) => Turn | undefined, shares: Shares): Turn | undefined {
  const limit = Math.max(1, shares.concurrency - 1);
  let overLimit: Turn | undefined;
  for (const found of inTurns(nextAfter, shares.lastAccount)) {
    if ((shares.running.get(found.account_id) ?? 0) < limit) return found;
    overLimit ??= found;
  }
  return overLimit;
}

/** Yields the next job of each account once: of the accounts after `last` in id order, then of those before. */
export function* inTurns<Next extends { account_id: number }>(
  nextAfter: (account: number) => Next | undefined,
  last: number,
): Generator<Next> {
  let first: number | undefined;
  let after = last;
  for (;;) {
    const found = nextAfter(after) ?? nextAfter(0);
    if (!found || found.account_id === first) return;
    yield found;
    first ??= found.account_id;
    after = found.account_id;
  }
}

export function jobLogIds(job: JobRow) {
  return {
    account_id: job.account_id,
    order_id: job.order_id,
    job_id: publicJobId(job.type, job.id),
    model: job.model_key,
  };
}
