import type { Database } from "../../database/database.js";
import { isConstraint, isDiskFault } from "../../database/errors.js";
import type { MediaStore } from "../../media/media-store.js";
import type { StorageHealth } from "../../media/storage-health.js";
import { ageMs, type Clock } from "../../platform/clock.js";
import type { Logger } from "../../platform/logger.js";
import { type BackOff, retry } from "../../platform/retry.js";
import type { OperatorNotices } from "../../ports/operator-notices.js";
import { FailureStreaks } from "./failure-streaks.js";
import type { JobChanges } from "./job-changes.js";
import { publicJobId } from "./job-id.js";
import type { JobRow } from "./job-store.js";
import { emptyTally, type JobTally } from "./job-tally.js";
import { namesOf } from "./keep-files.js";
import { type ProviderEnds, ProviderTally } from "./provider-tally.js";
import { type OnRefund, settleDone, settleFailed } from "./settlement.js";
import type { TaskOutcome } from "./task.js";

export const WRITE_BACK_OFF: BackOff = { firstMs: 250, maxMs: 30_000 };

export type JobEnd = Exclude<TaskOutcome, { kind: "interrupted" | "declined" | "postponed" }>;

export interface JobCompletionOptions {
  database: Database;
  store: MediaStore;
  health: StorageHealth;
  changes: JobChanges;
  clock: Clock;
  logger: Logger;
  refundFailedJobs: boolean;
  onRefund: OnRefund;
  notices: OperatorNotices;
}

export class JobCompletion {
  readonly #options: JobCompletionOptions;
  readonly #done = emptyTally();
  readonly #failed = emptyTally();
  /** Failures by the rules of a service; not among `#failed`. */
  readonly #refused = emptyTally();

  readonly #streaks: FailureStreaks;
  readonly #tally = new ProviderTally();

  constructor(options: JobCompletionOptions) {
    this.#options = options;
    this.#streaks = new FailureStreaks(options.notices);
  }

  get counts(): { done: JobTally; failed: JobTally; refused: JobTally } {
    return { done: { ...this.#done }, failed: { ...this.#failed }, refused: { ...this.#refused } };
  }

  get ends(): ReadonlyMap<string, ProviderEnds> {
    return this.#tally.ends;
  }

  /** Ends a job. Retries a failed write until the service stops; returns false then: the job stays `generating`. */
  async end(job: JobRow, outcome: JobEnd, stop: AbortSignal): Promise<boolean> {
    const { store, clock, health, logger } = this.#options;
    const startedAt = job.started_at ?? clock.now();
    let end = outcome;
    const onFailure = (error: unknown, attempt: number) => {
      logger.error({ ...jobLogIds(job), err: error, attempt }, "job outcome not written, trying again");
      if (isDiskFault(error)) health.markBad(error);
      else if (end.kind === "made" && isConstraint(error)) end = refusedFiles(error);
    };
    const isEnded = await retry({ clock, backOff: WRITE_BACK_OFF, onFailure, signal: stop }, () =>
      this.#write(job, end),
    ).catch((error: unknown) => {
      logger.warn({ ...jobLogIds(job), err: error }, "job outcome left to the next start");
      return undefined;
    });
    if (isEnded === undefined) return false;
    if (isEnded) this.#announce(job, end, startedAt);
    if (outcome.kind === "made") store.release(namesOf(outcome.files));
    return true;
  }

  #write(job: JobRow, end: JobEnd): Promise<boolean> {
    const { database, clock, refundFailedJobs, onRefund } = this.#options;
    const at = clock.now();
    if (end.kind === "made") return database.write("job:done", (tx) => settleDone(tx, job, end.files, at));
    const { failure, error } = end;
    return database.write("job:error", (tx) =>
      settleFailed(tx, job, { failure, error, isRefunded: refundFailedJobs, at, onRefund }),
    );
  }

  #announce(job: JobRow, end: JobEnd, startedAt: number): void {
    const { clock, logger, changes, refundFailedJobs } = this.#options;
    const event = { ...jobLogIds(job), duration_ms: ageMs(startedAt, clock.now()) };
    if (end.kind === "made") {
      this.#done[job.type] += 1;
      logger.info({ ...event, files: end.files.length }, "job done");
    } else {
      const isRefused = end.failure === "refused";
      (isRefused ? this.#refused : this.#failed)[job.type] += 1;
      const detail = { ...event, provider: job.provider, failure: end.failure, ...causeFields(end.cause) };
      logger.warn(detail, isRefused ? "job refused" : "job failed");
      if (refundFailedJobs) logger.info({ ...jobLogIds(job), kopecks: job.cost }, "refund");
    }
    this.#tally.note(job, end.kind === "made" ? "done" : end.failure, clock.now());
    this.#streaks.note(job, end.kind === "made" ? undefined : end.failure);
    changes.emit(publicJobId(job.type, job.id));
  }
}

/** Returns what a log line shows of a cause: a stack of an exception alone, the words of what was expected. */
export function causeFields(cause: unknown): { err?: Error; cause?: unknown } {
  if (cause === undefined) return {};
  return cause instanceof Error ? { err: cause } : { cause };
}

export function jobLogIds(job: JobRow) {
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
