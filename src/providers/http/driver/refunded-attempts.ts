import { sql } from "kysely";
import { prepare } from "../../../database/prepared.js";
import { qb } from "../../../database/schema.js";
import type { Transaction } from "../../../database/transaction.js";

const flagTaken = prepare<{ job_id: number }>((p) =>
  qb
    .updateTable("attempt")
    .set({ flagged: sql.lit(1 as const) })
    .where("job_id", "=", p.job_id)
    .where(sql<boolean>`state IN ('accepted', 'ready', 'stored')`),
);

/** Flags what services took, or made, for a job that is refunded: it may have been paid for. */
export function flagRefunded(tx: Transaction, jobId: number): void {
  tx.run(flagTaken, { job_id: jobId });
}
