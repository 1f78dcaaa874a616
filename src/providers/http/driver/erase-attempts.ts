import { sql } from "kysely";
import { prepare } from "../../../database/prepared.js";
import { qb } from "../../../database/schema.js";
import type { Transaction } from "../../../database/transaction.js";

const eraseInput = prepare<{ job_id: number }>((p) =>
  qb
    .updateTable("attempt")
    .set({ operation: sql<string>`json_set(operation, '$.input', json('{}'))`, detail: sql.lit(null) })
    .where("job_id", "=", p.job_id),
);

/** Erases what was sent to services for a job that has ended. References and costs stay. */
export function eraseAttempts(tx: Transaction, jobId: number): void {
  tx.run(eraseInput, { job_id: jobId });
}
