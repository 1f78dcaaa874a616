import type { Database } from "../database/database.js";
import type { Transaction } from "../database/transaction.js";
import { insertRestored, type RestoredBackup, selectLastRestored } from "./restored-table.js";

/** Records a restore in the database that was restored. */
export function recordRestore(tx: Transaction, restored: Omit<RestoredBackup, "id">): void {
  tx.insert(insertRestored, restored);
}

/** Returns the last restore; undefined where there was none. */
export function lastRestore(database: Database): RestoredBackup | undefined {
  return database.first(selectLastRestored, {});
}
