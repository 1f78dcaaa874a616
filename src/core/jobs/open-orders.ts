import type { Database } from "../../database/database.js";
import type { Transaction } from "../../database/transaction.js";
import { jobById } from "./job-store.js";

/** Tells whether a chat order is open: its files are not sent and its user was not told why. */
export type IsOrderOpen = (source: Transaction | Database, orderId: string) => boolean;

export function isHeldForOrder(
  source: Transaction | Database,
  jobId: number,
  isOrderOpen: IsOrderOpen,
): boolean {
  const job = jobById(source, jobId);
  return job?.origin === "bot" && job.order_id !== null && isOrderOpen(source, job.order_id);
}
