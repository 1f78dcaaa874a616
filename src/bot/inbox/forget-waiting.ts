import type { Transaction } from "../../database/transaction.js";
import { finishAll } from "./inbox-table.js";

/** Drops the updates that wait in a restored backup: they were handled since, and a second time would order again. */
export function forgetWaiting(tx: Transaction): number {
  return tx.run(finishAll, {});
}
