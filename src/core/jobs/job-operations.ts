import type { Database } from "../../database/database.js";
import { prepare } from "../../database/prepared.js";
import { qb } from "../../database/schema.js";
import type { Transaction } from "../../database/transaction.js";
import { type SoldOperation, storedForm } from "../../mapping/sold-operation.js";
import type { Logger } from "../../platform/logger.js";
import type { CatalogueSource } from "../catalogue/catalogue.js";
import { choiceOf, type ListedProvider, makesSold } from "../catalogue/choose-provider.js";
import type { JobOperationTable } from "./job-operation-table.js";
import { requestOf } from "./job-request.js";
import { type JobRow, jobById } from "./job-store.js";

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

export function deleteOperation(tx: Transaction, jobId: number): void {
  tx.run(removeOperation, { job_id: jobId });
}

export interface JobOperationsOptions {
  database: Database;
  offers: CatalogueSource;
  logger: Logger;
}

/** Reads what was sold, by job. */
export class JobOperations {
  readonly #options: JobOperationsOptions;

  constructor(options: JobOperationsOptions) {
    this.#options = options;
  }

  /** Returns the stored form; undefined where there is none that makes what was sold. */
  of(job: JobRow, provider: ListedProvider): string | undefined {
    const stored = this.#stored(job);
    if (stored !== undefined) return stored;
    const sold = this.#mapped(job, provider);
    return sold && storedForm(sold);
  }

  /** Returns the stored form, and stores it first for a job of a release that stored no operations. */
  async keptOf(job: JobRow, provider: ListedProvider): Promise<string | undefined> {
    const stored = this.#stored(job);
    if (stored !== undefined) return stored;
    const sold = this.#mapped(job, provider);
    if (!sold) return undefined;
    const { database, logger } = this.#options;
    await database
      .write("job:operation", (tx) => {
        const isStill = jobById(tx, job.id)?.provider === job.provider;
        if (isStill) storeOperation(tx, job.id, sold);
      })
      .catch((error: unknown) => {
        logger.warn({ job_id: job.id, err: error }, "operation of an earlier release's job not stored");
      });
    return storedForm(sold);
  }

  #stored(job: JobRow): string | undefined {
    return this.#options.database.first(selectOperation, { job_id: job.id })?.operation;
  }

  #mapped(job: JobRow, provider: ListedProvider): SoldOperation | undefined {
    const entry = this.#options.offers.current().entries.find(({ model_key }) => model_key === job.model_key);
    const choice = entry && choiceOf(entry, requestOf(job.request), provider, job.seed);
    if (!choice || !("provider" in choice) || !makesSold(entry, choice, job.model_title)) return undefined;
    return choice.service?.sold;
  }
}
