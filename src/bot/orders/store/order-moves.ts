import type { JobId } from "../../../contract/job.js";
import type { Transaction } from "../../../database/transaction.js";
import type { Drafts } from "../../card/draft/draft-store.js";
import type { Claim, Order, Refused } from "./order.js";
import { insertOrderJob } from "./order-job-table.js";
import { nextOrderState, type OrderMove } from "./order-state.js";
import {
  insertOrder,
  nextOrderNumber,
  type OrderRow,
  orderById,
  orderOf,
  setJobIds,
  setOrderState,
} from "./order-table.js";

export function insertClaimed(
  tx: Transaction,
  { orderId, draft, userName, modelTitle, request, quotedKopecks }: Claim,
  { statusMessageId, createdAt }: Pick<Order, "statusMessageId" | "createdAt">,
): Order {
  const row: OrderRow = {
    id: orderId,
    number: nextOrderNumber(tx),
    draft_id: draft.id,
    user_id: draft.userId,
    user_name: userName,
    chat_id: draft.chatId,
    thread_id: draft.threadId,
    status_message_id: statusMessageId,
    model_title: modelTitle,
    request: JSON.stringify(request),
    quoted_kopecks: quotedKopecks,
    state: "claimed",
    job_ids: "[]",
    created_at: createdAt,
  };
  tx.run(insertOrder, row);
  return orderOf(row);
}

/** Moves an order. Undefined, and no change, when `order-state.ts` forbids the move. */
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
