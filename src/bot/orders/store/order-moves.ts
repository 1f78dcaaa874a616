import type { JobId } from "../../../contract/job.js";
import type { Transaction } from "../../../database/transaction.js";
import type { Drafts } from "../../draft/draft-store.js";
import type { Order, Refused } from "./order.js";
import { insertOrderJob } from "./order-job-table.js";
import { nextOrderState, type OrderMove } from "./order-state.js";
import { orderById, orderOf, setJobIds, setOrderState } from "./order-table.js";

/** Undefined, and no change, when `order-state.ts` forbids the move. */
export function moveOrder(tx: Transaction, id: string, move: OrderMove): Order | undefined {
  const row = tx.first(orderById, { id });
  const state = row && nextOrderState(row.state, move);
  if (!state) return undefined;
  tx.run(setOrderState, { id, state });
  return orderOf({ ...row, state });
}

/** Ends an order that was not charged. Its draft can be edited again. */
export function refuseOrder(
  tx: Transaction,
  drafts: Drafts,
  id: string,
  move: "refuse" | "settle_not_charged",
): Refused | undefined {
  const order = moveOrder(tx, id, move);
  return order && { order, draft: drafts.reopenIn(tx, order.draftId) };
}

export function setJobs(tx: Transaction, order: Order, jobIds: readonly JobId[]): Order {
  tx.run(setJobIds, { id: order.id, job_ids: JSON.stringify(jobIds) });
  for (const jobId of jobIds) tx.run(insertOrderJob, { job_id: String(jobId), order_id: order.id });
  return { ...order, jobIds };
}
