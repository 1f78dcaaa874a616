import type { JobId } from "../../contract/job.js";
import { type Kopecks, sumOf } from "../../contract/money.js";
import type { Database } from "../../database/database.js";
import type { Transaction } from "../../database/transaction.js";
import { markMediaRemoved, mediaOfJob } from "../../media/media-table.js";
import type { Clock } from "../../platform/clock.js";
import type { Integer } from "../../platform/integer.js";
import type { Logger } from "../../platform/logger.js";
import { appendEntry, entryByKey, SERVICE_ACTOR } from "../ledger/ledger-store.js";
import { publicJobId } from "./job-id.js";
import { type JobRow, jobsOfOrder, markPaidBack } from "./job-store.js";

export interface LostResults {
  accountId: number;
  orderId: string;
  jobIds: readonly JobId[];
}

export interface RefundLostOptions {
  database: Database;
  clock: Clock;
  logger: Logger;
}

/**
 * Refunds lost jobs in one ledger entry, at most once per order. The jobs stay `done`, without links.
 * @returns the refund for the order, in kopecks; 0 when it cost nothing
 */
export async function refundLostResults(
  { database, clock, logger }: RefundLostOptions,
  { accountId, orderId, jobIds }: LostResults,
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
    removeFiles(tx, lost, at);
    const total = sumOf(lost.map(({ cost }) => cost));
    if (total === 0) return { kopecks: total, isNew: false };
    for (const { id } of lost) markPaidBack(tx, id, at);
    const jobId = lost.length === 1 ? (lost[0]?.id ?? null) : null;
    const detail = { reason: "lost", actor: SERVICE_ACTOR, orderId, jobId, idempotencyKey, at };
    appendEntry(tx, accountId, "refund", total, detail);
    return { kopecks: total, isNew: true };
  });
  if (isNew) {
    const event = { account_id: accountId, order_id: orderId, job_ids: jobIds, kopecks };
    logger.error(event, "results lost before delivery, refunded");
  }
  return kopecks;
}

function removeFiles(tx: Transaction, jobs: readonly JobRow[], at: Integer): void {
  const files = jobs.flatMap(({ id }) => mediaOfJob(tx, id));
  for (const { id, removed_at } of files) if (removed_at === null) markMediaRemoved(tx, id, at);
}
