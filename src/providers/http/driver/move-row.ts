import type { Transaction } from "../../../database/transaction.js";
import type { AttemptState } from "../../../ports/attempt-states.js";
import type { Attempt } from "./attempt.js";
import * as table from "./attempt-table.js";

/** Undefined, and no change, where the row is in none of the states `from`. */
export function moveRow(
  tx: Transaction,
  row: table.AttemptRow,
  from: readonly AttemptState[],
  change: Partial<table.AttemptRow>,
): Attempt | undefined {
  if (!from.includes(row.state)) return undefined;
  const changed = { ...row, ...change };
  if (tx.run(table.updateAttempt, { ...changed, from: row.state }) === 0) return undefined;
  return table.attemptOf(changed);
}
