import { appendEntry, SERVICE_ACTOR } from "../accounts/ledger-store.js";
import type { Failure } from "../contract/job.js";
import type { GenerationType } from "../contract/model.js";
import { isConstraint, isDiskFault, type Transaction } from "../database/database.js";
import { table } from "../database/table.js";
import { insertMediaFile, type MediaRole } from "../media/media-store.js";
import { ageMs, type Clock } from "../platform/clock.js";
import type { Integer } from "../platform/integer.js";
import { type BackOff, retry } from "../platform/retry.js";
import type { NoticeQueue } from "../ports/operator-notices.js";
import { type JobRow, jobLogIds, publicJobId } from "./job-store.js";
import { type Failed, type JobsGround, madeNothing, type OnKept } from "./provider.js";
import { type KeptFile, namesOf, type TaskOutcome } from "./task.js";

const jobs = table("job");
const operations = table("job_operation");

export const STORAGE_RETRIES_MAX = 3;
/** Limits the time after the first such failure in which a job may be retried. */
export const STORAGE_PATIENCE_MS = 10 * 60 * 1000;

interface StorageFault {
  job: JobRow;
  failures: number;
  since: number;
  last: Failed;
}

/** Jobs that are retried because their files could not be stored. In memory only. */
export class StorageRetries {
  readonly #faults = new Map<number, StorageFault>();

  constructor(private readonly clock: Clock) {}

  allow(job: JobRow, last: Failed): boolean {
    const { failures = 0, since = this.clock.monotonic() } = this.#faults.get(job.id) ?? {};
    const fault = { job, failures: failures + 1, since, last };
    this.#faults.set(job.id, fault);
    return failures < STORAGE_RETRIES_MAX && !this.#isOverdue(fault);
  }

  overdue(): { job: JobRow; failure: Failed }[] {
    return [...this.#faults.values()]
      .filter((fault) => this.#isOverdue(fault))
      .map(({ job, last }) => ({ job, failure: last }));
  }

  #isOverdue({ since }: StorageFault): boolean {
    return this.clock.monotonic() - since >= STORAGE_PATIENCE_MS;
  }

  forget(jobId: number): void {
    this.#faults.delete(jobId);
  }
}

const STREAK_LENGTH = 3;
/** Failures for which a request is to blame: they say nothing of the model. */
const OF_REQUESTS: ReadonlySet<Failure> = new Set(["refused", "reference"]);

/** Tells operators of a model whose jobs fail one after the other, once until one of them succeeds. */
export class FailureStreaks {
  readonly #counts = new Map<string, number>();

  constructor(private readonly notices: NoticeQueue) {}

  /** @param failure undefined for a job that is done */
  note(
    { model_key, model_title: model }: Pick<JobRow, "model_key" | "model_title">,
    failure: Failure | undefined,
  ): void {
    if (failure === undefined) this.#counts.delete(model_key);
    if (failure === undefined || OF_REQUESTS.has(failure)) return;
    const count = (this.#counts.get(model_key) ?? 0) + 1;
    this.#counts.set(model_key, count);
    if (count === STREAK_LENGTH) this.notices.tell({ kind: "failures", model, count });
  }
}

export type JobOutcome = "done" | Failure;

/** Jobs of one type that ended in one way at one provider since the process began. */
export interface EndedJobs {
  provider: string;
  type: GenerationType;
  outcome: JobOutcome;
  jobs: number;
  /** How long they waited and ran together, in ms. */
  waitMs: number;
  runMs: number;
}

export const WRITE_BACK_OFF: BackOff = { firstMs: 250, maxMs: 30_000 };

export type JobEnd = Exclude<TaskOutcome, { kind: "interrupted" | "declined" | "postponed" }>;

export interface WaitingEnd {
  job: JobRow;
  end: JobEnd;
}

export class JobCompletion {
  readonly #streaks: FailureStreaks;
  readonly #ended = new Map<string, EndedJobs>();

  constructor(private readonly options: JobsGround) {
    this.#streaks = new FailureStreaks(options.notices);
  }

  get ended(): EndedJobs[] {
    return [...this.#ended.values()];
  }

  /** Ends a job. Retries a failed write until the service stops; returns false then: the job stays `generating`. */
  async end(job: JobRow, outcome: JobEnd, stop: AbortSignal): Promise<boolean> {
    const { store, clock, health, logger } = this.options;
    const startedAt = job.started_at ?? clock.now();
    let end = outcome;
    const onKept = outcome.kind === "made" ? outcome.onKept : undefined;
    const onFailure = (error: unknown, attempt: number) => {
      logger.error({ ...jobLogIds(job), err: error, attempt }, "job outcome not written, trying again");
      if (isDiskFault(error)) health.markBad(error);
      else if (end.kind === "made" && isConstraint(error)) end = madeNothing(error);
    };
    const isEnded = await retry({ clock, backOff: WRITE_BACK_OFF, onFailure, signal: stop }, () =>
      this.#write(job, end, onKept),
    ).catch((error: unknown) => {
      logger.warn({ ...jobLogIds(job), err: error }, "job outcome left to the next start");
      return undefined;
    });
    if (isEnded === undefined) return false;
    if (isEnded) this.#announce(job, end, startedAt);
    if (outcome.kind === "made") store.release(namesOf(outcome.files));
    return true;
  }

  /** Resolves with false where the job had ended before. */
  #write(job: JobRow, end: JobEnd, onKept: OnKept): Promise<boolean> {
    const { database, clock, refundFailedJobs } = this.options;
    const at = clock.now();
    const isRefunded = end.kind === "failed" && refundFailedJobs && job.cost > 0;
    const change =
      end.kind === "made"
        ? ({ status: "done", finished_at: at } as const)
        : ({
            status: "error",
            failure: end.failure,
            error: end.error,
            is_refunded: isRefunded ? 1 : 0,
            finished_at: at,
          } as const);
    return database.write(end.kind === "made" ? "job:done" : "job:error", (tx) => {
      onKept?.(tx);
      if (jobs.update(tx, { id: job.id, status: "generating" }, change) === 0) return false;
      operations.delete(tx, { job_id: job.id });
      if (end.kind === "made") insertResults(tx, job, end.files, at);
      else if (isRefunded) this.#refund(tx, job, end.failure, at);
      return true;
    });
  }

  #refund(tx: Transaction, { id, account_id, order_id, cost }: JobRow, reason: Failure, at: Integer): void {
    this.options.onRefund(tx, id);
    appendEntry(tx, account_id, "refund", cost, {
      reason,
      actor: SERVICE_ACTOR,
      orderId: order_id,
      jobId: id,
      idempotencyKey: `refund:${id}`,
      at,
    });
  }

  #announce(job: JobRow, end: JobEnd, startedAt: number): void {
    const { clock, logger, changes, refundFailedJobs } = this.options;
    const event = { ...jobLogIds(job), duration_ms: ageMs(startedAt, clock.now()) };
    if (end.kind === "made") {
      logger.info({ ...event, files: end.files.length }, "job done");
    } else {
      const isRefused = end.failure === "refused";
      const detail = { ...event, provider: job.provider, failure: end.failure, ...causeFields(end.cause) };
      logger.warn(detail, isRefused ? "job refused" : "job failed");
      if (refundFailedJobs) logger.info({ ...jobLogIds(job), kopecks: job.cost }, "refund");
    }
    this.#count(job, end.kind === "made" ? "done" : end.failure);
    this.#streaks.note(job, end.kind === "made" ? undefined : end.failure);
    changes.emit(publicJobId(job.type, job.id));
  }

  #count({ provider, type, created_at, started_at }: JobRow, outcome: JobOutcome): void {
    const endedAt = this.options.clock.now();
    const startedAt = started_at ?? endedAt;
    const key = `${provider} ${type} ${outcome}`;
    const sum = this.#ended.get(key) ?? { provider, type, outcome, jobs: 0, waitMs: 0, runMs: 0 };
    sum.jobs += 1;
    sum.waitMs += Math.max(0, startedAt - created_at);
    sum.runMs += Math.max(0, endedAt - startedAt);
    this.#ended.set(key, sum);
  }
}

/** Returns what a log line shows of a cause: a stack of an exception alone, the words of what was expected. */
export function causeFields(cause: unknown): { err?: Error; cause?: unknown } {
  if (cause === undefined) return {};
  return cause instanceof Error ? { err: cause } : { cause };
}

export function insertResults(tx: Transaction, job: JobRow, files: readonly KeptFile[], at: Integer): void {
  for (const [index, file] of files.entries()) {
    const row = {
      ...placeOf(job, files, index),
      account_id: job.account_id,
      job_id: job.id,
      width: pixels(file.width),
      height: pixels(file.height),
      duration_sec: file.durationSec ?? null,
      title: file.title ?? null,
      created_at: at,
    };
    const { name, mime, size, original } = file;
    insertMediaFile(tx, { ...row, name, mime, size });
    if (original) insertMediaFile(tx, { ...row, role: "original", ...original });
  }
}

/** Makes an image among tracks, or beside a video, the cover of the preceding file, or else of the first. */
function placeOf(
  job: JobRow,
  files: readonly KeptFile[],
  index: number,
): { role: MediaRole; position: number } {
  const isPicture = (file: KeptFile) => file.mime.startsWith("image/");
  if (job.type === "image" || files.every(isPicture)) return { role: "result", position: index };
  const filesBefore = files.slice(0, index).filter((file) => !isPicture(file)).length;
  const file = files[index];
  return file && isPicture(file)
    ? { role: "cover", position: Math.max(0, filesBefore - 1) }
    : { role: "result", position: filesBefore };
}

function pixels(value: number | undefined): number | null {
  return value !== undefined && Number.isInteger(value) && value > 0 ? value : null;
}
