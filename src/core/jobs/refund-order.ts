import { sumOf } from "../../contract/money.js";
import type { Transaction } from "../../database/transaction.js";
import type { Integer } from "../../platform/integer.js";
import type { OrderRefundOutcome } from "../../ports/order-records.js";
import { recordAct } from "../audit/audit-log.js";
import { appendEntry, balanceOf, entryByKey } from "../ledger/ledger-store.js";
import { type JobRow, jobsOfOrder, markPaidBack } from "./job-store.js";

interface OrderRefund {
  accountId: number;
  orderId: string;
  actor: string;
  reason: string | null;
  at: Integer;
}

export function orderRefundKey(accountId: number, orderId: string): string {
  return `refund-order:${accountId}:${orderId}`;
}

/** Lists the jobs whose cost was kept. Undefined while one is being made: it may fail, and is refunded then. */
export function refundableJobs(jobs: readonly JobRow[]): readonly JobRow[] | undefined {
  if (jobs.some(({ status }) => status === "queued" || status === "generating")) return undefined;
  return jobs.filter(({ is_refunded, paid_back_at }) => is_refunded === 0 && paid_back_at === null);
}

/** Gives back in one entry what an order still costs, with the act beside it. At most once an order. */
export function refundOrder(
  tx: Transaction,
  { accountId, orderId, actor, reason, at }: OrderRefund,
): OrderRefundOutcome {
  const idempotencyKey = orderRefundKey(accountId, orderId);
  const earlier = entryByKey(tx, idempotencyKey);
  if (earlier) return { kind: "repeated", kopecks: earlier.amount, balanceKopecks: balanceOf(tx, accountId) };
  const jobs = refundableJobs(jobsOfOrder(tx, accountId, orderId));
  if (!jobs) return { kind: "running" };
  const kopecks = sumOf(jobs.map(({ cost }) => cost));
  if (kopecks === 0) return { kind: "nothing" };
  for (const { id } of jobs) markPaidBack(tx, id, at);
  const before = balanceOf(tx, accountId);
  const jobId = jobs.length === 1 ? (jobs[0]?.id ?? null) : null;
  const detail = { reason: "admin", actor, orderId, jobId, idempotencyKey, at };
  appendEntry(tx, accountId, "refund", kopecks, detail);
  const balanceKopecks = balanceOf(tx, accountId);
  const sums = { before: { kopecks: before }, after: { kopecks: balanceKopecks } };
  recordAct(tx, { actor, act: "refund", accountId, subject: `order:${orderId}`, ...sums, reason, at });
  return { kind: "done", kopecks, balanceKopecks };
}
