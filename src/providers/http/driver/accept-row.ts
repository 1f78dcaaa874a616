import type { Transaction } from "../../../database/transaction.js";
import type { Integer } from "../../../platform/integer.js";
import type { AttemptState } from "../../../ports/attempt-states.js";
import type { UpstreamReference } from "../adapter.js";
import type { Attempt } from "./attempt.js";
import { costColumns } from "./attempt-columns.js";
import { statesBefore } from "./attempt-moves.js";
import * as table from "./attempt-table.js";
import { taskIdOf } from "./task-id.js";

export interface Acceptance {
  reference: UpstreamReference;
  acceptedAt: Integer;
  deadlineAt: Integer;
  dueAt: Integer;
}

export function ownerOf(
  tx: Pick<Transaction, "first">,
  provider: string,
  reference: UpstreamReference,
): table.AttemptRow | undefined {
  return tx.first(table.selectByTask, { provider, task_id: taskIdOf(reference) });
}

/** Gives a task to an attempt. A second attempt with it becomes ambiguous: nobody knows whose the task is. */
export function acceptRow(
  tx: Transaction,
  row: table.AttemptRow,
  { reference, ...times }: Acceptance,
): Attempt | undefined {
  const ref = JSON.stringify(reference);
  const { operation } = table.attemptOf(row);
  const owner = ownerOf(tx, row.provider, reference);
  if (owner && owner.attempt_id !== row.attempt_id)
    return moveRow(tx, row, statesBefore("ambiguous"), {
      state: "ambiguous",
      ref,
      detail: `the service named the task of attempt ${owner.attempt_id}`,
      due_at: null,
      flagged: 1,
      ...costColumns(operation.cost),
    });
  // An attempt that was ambiguous becomes late: its job has ended.
  const isLate = row.state === "ambiguous" ? 1 : row.late;
  return moveRow(tx, row, statesBefore("accepted"), {
    state: "accepted",
    ref,
    task_id: taskIdOf(reference),
    accepted_at: times.acceptedAt,
    deadline_at: times.deadlineAt,
    due_at: times.dueAt,
    late: isLate,
    flagged: isLate,
    ...costColumns(operation.cost),
  });
}

/** Returns undefined, and changes nothing, where the row is in none of the states `from`. */
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
