import type { JobId } from "../../../contract/job.js";
import type { Database } from "../../../database/database.js";
import { deliveryByOrder, deliveryOf } from "./delivery-table.js";
import { ordersOfJob } from "./order-job-table.js";
import { orderById, orderOf } from "./order-table.js";

/** Finds the message of a chat that shows the result of a person's job. Undefined where it came to another chat. */
export function resultMessageOf(
  database: Database,
  jobId: JobId,
  { userId, chatId }: { userId: number; chatId: number },
): number | undefined {
  for (const { order_id: id } of database.all(ordersOfJob, { job_id: String(jobId) })) {
    const [order, delivery] = [database.first(orderById, { id }), database.first(deliveryByOrder, { id })];
    if (order?.user_id !== userId || delivery?.chat_id !== chatId) continue;
    const index = orderOf(order).jobIds.findIndex((one) => String(one) === String(jobId));
    return deliveryOf(delivery).files.find((file) => file.index === index)?.messageId;
  }
  return undefined;
}
