import type { Database } from "../database/database.js";
import type { Transaction } from "../database/transaction.js";
import type { Clock } from "../platform/clock.js";
import { insertRestored, type RestoredBackup, selectLastRestored, setRestoreTold } from "./restored-table.js";

/** Records a restore in the database that was restored. */
export function recordRestore(tx: Transaction, restored: Omit<RestoredBackup, "id" | "told_at">): void {
  tx.insert(insertRestored, { ...restored, told_at: null });
}

/** Returns the last restore; undefined where there was none. */
export function lastRestore(database: Database): RestoredBackup | undefined {
  return database.first(selectLastRestored, {});
}

/** Calls `tell` at the first start after a restore. */
export async function tellRestore(
  database: Database,
  clock: Clock,
  tell: (restored: RestoredBackup) => void,
): Promise<void> {
  const restored = lastRestore(database);
  if (!restored || restored.told_at !== null) return;
  tell(restored);
  await database.write("restore:told", (tx) =>
    tx.run(setRestoreTold, { id: restored.id, told_at: clock.now() }),
  );
}
