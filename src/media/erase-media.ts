import { sql } from "kysely";
import { prepare } from "../database/prepared.js";
import { qb } from "../database/schema.js";
import type { Transaction } from "../database/transaction.js";
import type { Integer } from "../platform/integer.js";
import { type DueFile, markMediaRemoved } from "./media-table.js";

const selectKept = {
  references: keptOf("="),
  files: keptOf("<>"),
};
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
  const references = tx.all(selectKept.references, erased);
  const limit = erased.limit - references.length;
  const files = [...references, ...tx.all(selectKept.files, { ...erased, limit })];
  for (const { id } of files) markMediaRemoved(tx, id, erased.before);
  return files.map(({ name }) => name);
}

/** Erases the titles of a job's files, which may be a person's words. */
export function eraseFileTitles(tx: Transaction, jobId: number): void {
  tx.run(eraseTitles, { jobId });
}

/** Selects by the partial indexes of references and of other files, whose conditions are stated as literals. */
function keptOf(is: "=" | "<>") {
  return prepare<ErasedFiles, DueFile>((p) =>
    qb
      .selectFrom("media_file")
      .select(["id", "name", "job_id"])
      .where("account_id", "=", p.accountId)
      .where("role", is, sql.lit("reference" as const))
      .where("removed_at", "is", sql.lit(null))
      .where("created_at", "<", p.before)
      .limit(p.limit),
  );
}
