import { sql } from "kysely";
import { prepare } from "../database/prepared.js";
import { qb } from "../database/schema.js";
import type { Transaction } from "../database/transaction.js";
import type { Integer } from "../platform/integer.js";
import { type DueFile, markMediaRemoved } from "./media-table.js";

const selectKeptOf = prepare<{ accountId: number; before: Integer; limit: number }, DueFile>((p) =>
  qb
    .selectFrom("media_file")
    .select(["id", "name", "job_id"])
    .where("account_id", "=", p.accountId)
    .where("removed_at", "is", sql.lit(null))
    .where("created_at", "<", p.before)
    .limit(p.limit),
);
const eraseTitles = prepare<{ jobId: number }>((p) =>
  qb
    .updateTable("media_file")
    .set({ title: sql.lit(null) })
    .where("job_id", "is not", sql.lit(null))
    .where("job_id", "=", p.jobId),
);

interface ErasedFiles {
  accountId: number;
  /** Milliseconds since the epoch: later files belong to new orders. */
  before: Integer;
  limit: number;
}

/** Marks files of an account as removed. Returns their names: delete them after the commit. */
export function eraseMedia(tx: Transaction, erased: ErasedFiles): string[] {
  const files = tx.all(selectKeptOf, erased);
  for (const { id } of files) markMediaRemoved(tx, id, erased.before);
  return files.map(({ name }) => name);
}

/** Erases the titles of a job's files, which may be a person's words. */
export function eraseFileTitles(tx: Transaction, jobId: number): void {
  tx.run(eraseTitles, { jobId });
}
