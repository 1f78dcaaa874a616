import type { Database } from "../../database/database.js";
import { prepare } from "../../database/prepared.js";
import { qb } from "../../database/schema.js";
import type { Transaction } from "../../database/transaction.js";
import { type SoldOperation, storedForm } from "../../routes/sold-operation.js";
import type { Catalogue } from "../catalogue/catalogue.js";
import { choiceOf, type ListedProvider, shownTitle } from "../catalogue/choose-provider.js";
import type { JobOperationTable } from "./job-operation-table.js";
import { requestOf } from "./job-request.js";
import type { JobRow } from "./job-store.js";

const insertOperation = prepare<JobOperationTable>((p) =>
  qb.insertInto("job_operation").values({ job_id: p.job_id, operation: p.operation }),
);
const selectOperation = prepare<{ job_id: number }, { operation: string }>((p) =>
  qb.selectFrom("job_operation").select("operation").where("job_id", "=", p.job_id),
);
const removeOperation = prepare<{ job_id: number }>((p) =>
  qb.deleteFrom("job_operation").where("job_id", "=", p.job_id),
);

/** Replaces what was stored before. @param sold undefined for a renderer */
export function storeOperation(tx: Transaction, jobId: number, sold: SoldOperation | undefined): void {
  deleteOperation(tx, jobId);
  if (sold) tx.run(insertOperation, { job_id: jobId, operation: storedForm(sold) });
}

/** Call when the job has ended: its attempts have what was sent. */
export function deleteOperation(tx: Transaction, jobId: number): void {
  tx.run(removeOperation, { job_id: jobId });
}

export interface JobOperationsOptions {
  database: Database;
  catalogue: Pick<Catalogue, "entries">;
}

/** What was sold, by job. */
export class JobOperations {
  readonly #options: JobOperationsOptions;

  constructor(options: JobOperationsOptions) {
    this.#options = options;
  }

  /** The stored form; undefined where there is none that makes what was sold. */
  of(job: JobRow, provider: ListedProvider): string | undefined {
    const { database } = this.#options;
    const stored = database.first(selectOperation, { job_id: job.id })?.operation;
    return stored ?? this.#mapped(job, provider);
  }

  /** Maps a job that a release without stored operations accepted. */
  #mapped(job: JobRow, provider: ListedProvider): string | undefined {
    const entry = this.#options.catalogue.entries.find(({ model_key }) => model_key === job.model_key);
    const choice = entry && choiceOf(entry, requestOf(job.request), provider, job.seed);
    if (!choice || !("provider" in choice) || shownTitle(choice) !== job.model_title) return undefined;
    return choice.service && storedForm(choice.service.sold);
  }
}
