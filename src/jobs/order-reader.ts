import type { Selectable } from "kysely";
import type { Accounts } from "../accounts/accounts.js";
import { recordAct } from "../accounts/audit-log.js";
import {
  appendEntry,
  balanceOf,
  debtPaidBy,
  type EntryDetail,
  entryByKey,
  type LedgerEntry,
  SERVICE_ACTOR,
} from "../accounts/ledger-store.js";
import type { JobId } from "../contract/job.js";
import { asKopecks, type Kopecks, sumOf } from "../contract/price.js";
import type { Reads, Transaction } from "../database/database.js";
import type { Ground } from "../database/ground.js";
import { prepare, qb, type Schema } from "../database/prepared.js";
import { table } from "../database/table.js";
import { markMediaRemoved, mediaOfJob } from "../media/media-store.js";
import { type JobRow, jobById, jobsOfOrder, publicJobId } from "./job-store.js";

/** The states of an attempt: one submission of a job to a service. */
export const ATTEMPT_STATES = [
  "planned",
  "sending",
  "accepted",
  "ready",
  "stored",
  "refused",
  "failed",
  "ambiguous",
  "cancelled",
] as const;
export type AttemptState = (typeof ATTEMPT_STATES)[number];

export type AttemptRow = Readonly<Selectable<Schema["attempt"]>>;

export interface OrderJob {
  job: JobRow;
  /** The first one first. */
  attempts: readonly AttemptRow[];
}

interface OrderRefundRequest {
  userId: number;
  orderId: string;
  actor: string;
  reason: string | null;
}

type OrderRefundOutcome =
  /** `by`: the actor of the first one. `debtPaidKopecks`: the part that paid what the account owed. */
  | {
      kind: "done" | "repeated";
      by: string;
      kopecks: Kopecks;
      balanceKopecks: Kopecks;
      debtPaidKopecks: Kopecks;
    }
  /** Something of it is still being made, and may be refunded by itself. */
  | { kind: "running" }
  | { kind: "nothing" };

const soldJobs = table("job");
const selectAttempts = prepare<{ jobId: number }, AttemptRow>((p) =>
  qb.selectFrom("attempt").selectAll().where("job_id", "=", p.jobId).orderBy("no"),
);
/** Reads orders for admins from jobs, attempts and the ledger, and refunds them. */
export class OrderReader {
  constructor(
    private readonly ground: Ground,
    private readonly accounts: Accounts,
  ) {}

  /** Its charge and refunds are the oldest first; `refundableKopecks` is what `refund` would give back now. */
  of(userId: number, orderId: string) {
    const { database } = this.ground;
    const accountId = this.accounts.find(userId);
    const rows = accountId === undefined ? [] : jobsOfOrder(database, accountId, orderId);
    return {
      money: accountId === undefined ? [] : this.#moneyOf(accountId, orderId, rows),
      jobs: rows.map((job) => ({ job, attempts: database.all(selectAttempts, { jobId: job.id }) })),
      refundableKopecks: sumOf((refundableJobs(rows) ?? []).map(({ cost }) => cost)),
    };
  }

  /** Reads a job with its attempts and its part of the money: jobs of one order share their entries. */
  ofJob(job: JobRow): OrderJob & { money: readonly Pick<LedgerEntry, "created_at" | "amount" | "actor">[] } {
    const { database } = this.ground;
    const { id, account_id, order_id, cost, created_at, finished_at, is_refunded, paid_back_at } = job;
    const returned = is_refunded === 1 ? finished_at : paid_back_at;
    const ofOrder =
      order_id === null
        ? []
        : [`refund-lost:${account_id}:${order_id}`, orderRefundKey(account_id, order_id)];
    const entries = (is_refunded === 1 ? [`refund:${id}`] : ofOrder).flatMap(
      (key) => entryByKey(database, key) ?? [],
    );
    // An entry that paid several jobs back names none.
    const refund =
      entries.find(({ job_id }) => job_id === id) ??
      entries.find(({ job_id, created_at: at }) => job_id === null && at === returned);
    return {
      job,
      attempts: database.all(selectAttempts, { jobId: id }),
      money: [
        { created_at, amount: asKopecks(-cost), actor: SERVICE_ACTOR },
        ...(returned === null
          ? []
          : [{ created_at: returned, amount: cost, actor: refund?.actor ?? SERVICE_ACTOR }]),
      ].filter(({ amount }) => amount !== 0),
    };
  }

  /** Gives back what was not given back before, in one ledger entry. At most once an order. */
  async refund({ userId, orderId, actor, reason }: OrderRefundRequest): Promise<OrderRefundOutcome> {
    const { database, clock, logger } = this.ground;
    const outcome = await database.write("order:refund", (tx): OrderRefundOutcome => {
      const accountId = this.accounts.find(userId, tx);
      if (accountId === undefined) return { kind: "nothing" };
      const idempotencyKey = orderRefundKey(accountId, orderId);
      const before = balanceOf(tx, accountId);
      const earlier = entryByKey(tx, idempotencyKey);
      const made = (kind: "done" | "repeated", by: string, kopecks: Kopecks) => {
        const debtPaidKopecks = debtPaidBy(tx, { idempotencyKey });
        return { kind, by, kopecks, balanceKopecks: balanceOf(tx, accountId), debtPaidKopecks };
      };
      if (earlier) return made("repeated", earlier.actor, earlier.amount);
      const jobs = refundableJobs(jobsOfOrder(tx, accountId, orderId));
      if (!jobs) return { kind: "running" };
      const at = clock.now();
      const kopecks = payBack(tx, accountId, jobs, { reason: "admin", actor, orderId, idempotencyKey, at });
      if (kopecks === 0) return { kind: "nothing" };
      const outcome = made("done", actor, kopecks);
      const sums = { before: { kopecks: before }, after: { kopecks: outcome.balanceKopecks } };
      recordAct(tx, { actor, act: "refund", accountId, subject: `order:${orderId}`, ...sums, reason, at });
      return outcome;
    });
    logger.info({ user_id: userId, order_id: orderId, actor, outcome: outcome.kind }, "order refund");
    return outcome;
  }

  /** Finds entries by their keys, however many the account has. */
  #moneyOf(accountId: number, orderId: string, jobs: readonly JobRow[]): LedgerEntry[] {
    const keys = [
      `charge:${accountId}:${orderId}`,
      ...jobs.map(({ id }) => `refund:${id}`),
      `refund-lost:${accountId}:${orderId}`,
      orderRefundKey(accountId, orderId),
    ];
    const entries = keys.flatMap((key) => entryByKey(this.ground.database, key) ?? []);
    return entries.toSorted((a, b) => a.id - b.id);
  }
}

function orderRefundKey(accountId: number, orderId: string): string {
  return `refund-order:${accountId}:${orderId}`;
}

/** Lists the jobs whose cost was kept. Undefined while one is being made: it may fail, and is refunded then. */
function refundableJobs(jobs: readonly JobRow[]): readonly JobRow[] | undefined {
  if (jobs.some(({ status }) => status === "queued" || status === "generating")) return undefined;
  return jobs.filter(({ is_refunded, paid_back_at }) => is_refunded === 0 && paid_back_at === null);
}

/** Gives back the cost of jobs in one entry, and marks them. Returns the sum; for 0 nothing is written. */
function payBack(
  tx: Transaction,
  accountId: number,
  jobs: readonly JobRow[],
  detail: Omit<EntryDetail, "jobId">,
): Kopecks {
  const kopecks = sumOf(jobs.map(({ cost }) => cost));
  if (kopecks === 0) return kopecks;
  for (const { id } of jobs) soldJobs.update(tx, { id }, { paid_back_at: detail.at });
  const jobId = jobs.length === 1 ? (jobs[0]?.id ?? null) : null;
  appendEntry(tx, accountId, "refund", kopecks, { ...detail, jobId });
  return kopecks;
}

/**
 * Refunds lost jobs in one ledger entry, at most once per order. The jobs stay `done`, without links.
 * @returns the refund for the order, in kopecks; 0 when it cost nothing
 */
export async function refundLostResults(
  { database, clock, logger }: Ground,
  { accountId, orderId, jobIds }: { accountId: number; orderId: string; jobIds: readonly JobId[] },
): Promise<Kopecks> {
  const ids = new Set(jobIds);
  const { kopecks, isNew } = await database.write("job:refund-lost", (tx) => {
    const idempotencyKey = `refund-lost:${accountId}:${orderId}`;
    const earlier = entryByKey(tx, idempotencyKey);
    if (earlier) return { kopecks: earlier.amount, isNew: false };
    const at = clock.now();
    const lost = jobsOfOrder(tx, accountId, orderId).filter(
      ({ id, type, status, paid_back_at }) =>
        status === "done" && paid_back_at === null && ids.has(publicJobId(type, id)),
    );
    for (const { id, removed_at } of lost.flatMap((job) => mediaOfJob(tx, job.id)))
      if (removed_at === null) markMediaRemoved(tx, id, at);
    const detail = { reason: "lost", actor: SERVICE_ACTOR, orderId, idempotencyKey, at };
    const total = payBack(tx, accountId, lost, detail);
    return { kopecks: total, isNew: total > 0 };
  });
  if (isNew) {
    const event = { account_id: accountId, order_id: orderId, job_ids: jobIds, kopecks };
    logger.error(event, "results lost before delivery, refunded");
  }
  return kopecks;
}

/** Tells whether a chat order is open: its files are not sent and its user was not told why. */
export type IsOrderOpen = (source: Reads, orderId: string) => boolean;

export function isHeldForOrder(source: Reads, jobId: number, isOrderOpen: IsOrderOpen): boolean {
  const job = jobById(source, jobId);
  return job?.origin === "bot" && job.order_id !== null && isOrderOpen(source, job.order_id);
}
