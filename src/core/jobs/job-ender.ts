import type { Database } from "../../database/database.js";
import { type Clock, sleep } from "../../platform/clock.js";
import type { Logger } from "../../platform/logger.js";
import { type BackOff, backOffMs } from "../../platform/retry.js";
import { isStorageError } from "../media/storage-error.js";
import type { StorageHealth } from "../media/storage-health.js";
import type { JobChanges } from "./job-changes.js";
import { publicJobId } from "./job-id.js";
import type { JobRow } from "./job-store.js";
import { emptyTally, type JobTally } from "./job-tally.js";
import { settleDone, settleFailed } from "./settle.js";
import type { TaskOutcome } from "./task.js";

/** The pause between two tries of a write that must succeed. */
export const WRITE_BACK_OFF: BackOff = { firstMs: 250, maxMs: 30_000 };

/** How the work on a job ended for good. */
export type JobEnd = Exclude<TaskOutcome, { kind: "interrupted" }>;

export interface JobEnderOptions {
  database: Database;
  health: StorageHealth;
  changes: JobChanges;
  clock: Clock;
  logger: Logger;
  refundFailedJobs: boolean;
}

/** Writes the ends of jobs, and tells of them after the commit. */
export class JobEnder {
  readonly #options: JobEnderOptions;
  readonly #done = emptyTally();
  readonly #failed = emptyTally();

  constructor(options: JobEnderOptions) {
    this.#options = options;
  }

  /** Jobs that ended since the process began. */
  get counts(): { done: JobTally; failed: JobTally } {
    return { done: { ...this.#done }, failed: { ...this.#failed } };
  }

  /**
   * Ends a job. A write that fails is tried again until it succeeds or the service stops; the job is still
   * `generating` then, and runs again at the next start.
   */
  async end(job: JobRow, outcome: JobEnd, stop: AbortSignal): Promise<void> {
    const { clock, health, logger } = this.#options;
    const startedAt = job.started_at ?? clock.now();
    let end = outcome;
    if (end.kind === "failed" && end.failure === "storage") health.markBad(end.cause);
    for (let attempt = 1; !stop.aborted || attempt === 1; attempt += 1) {
      try {
        const isEnded = await this.#write(job, end);
        // A write that failed may have reached the disk after all: then this one found nothing to do.
        if (isEnded || attempt > 1) this.#announce(job, end, startedAt);
        return;
      } catch (error) {
        logger.error({ ...idsOf(job), err: error, attempt }, "the end of a job could not be written");
        if (isStorageError(error)) health.markBad(error);
        // The database refuses these very files: no wait makes them better.
        else if (end.kind === "made" && isConstraintError(error)) end = refusedFiles(error);
        await sleep(clock, backOffMs(attempt, WRITE_BACK_OFF), stop);
      }
    }
  }

  #write(job: JobRow, end: JobEnd): Promise<boolean> {
    const { database, clock, refundFailedJobs } = this.#options;
    const at = clock.now();
    if (end.kind === "made") return database.write("job:done", (tx) => settleDone(tx, job, end.files, at));
    const { failure, error } = end;
    return database.write("job:error", (tx) =>
      settleFailed(tx, job, { failure, error, isRefunded: refundFailedJobs, at }),
    );
  }

  #announce(job: JobRow, end: JobEnd, startedAt: number): void {
    const { clock, logger, changes, refundFailedJobs } = this.#options;
    const event = { ...idsOf(job), duration_ms: clock.now() - startedAt };
    if (end.kind === "made") {
      this.#done[job.type] += 1;
      logger.info({ ...event, files: end.files.length }, "job done");
    } else {
      this.#failed[job.type] += 1;
      logger.warn({ ...event, failure: end.failure, err: end.cause }, "job failed");
      if (refundFailedJobs) logger.info({ ...idsOf(job), kopecks: job.cost }, "refund");
    }
    changes.emit(publicJobId(job.type, job.id));
  }
}

/** What every line of log about a job names. */
export function idsOf(job: JobRow) {
  return {
    account_id: job.account_id,
    order_id: job.order_id,
    job_id: publicJobId(job.type, job.id),
    model: job.model_key,
  };
}

function refusedFiles(cause: unknown): JobEnd {
  return { kind: "failed", failure: "provider", error: "The generation failed.", cause };
}

function isConstraintError(error: unknown): boolean {
  return error instanceof Error && "code" in error && String(error.code).startsWith("SQLITE_CONSTRAINT");
}
