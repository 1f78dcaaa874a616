import type { Clock } from "../../platform/clock.js";
import type { JobRow } from "./job-store.js";
import type { TaskFailure } from "./task.js";

export const STORAGE_RETRIES_MAX = 3;
/** Limits the time after the first such failure in which a job may be retried. */
export const STORAGE_PATIENCE_MS = 10 * 60 * 1000;

interface StorageFault {
  job: JobRow;
  failures: number;
  since: number;
  last: TaskFailure;
}

/** Jobs that are retried because their files could not be stored. In memory only. */
export class StorageRetries {
  readonly #clock: Clock;
  readonly #faults = new Map<number, StorageFault>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  allow(job: JobRow, last: TaskFailure): boolean {
    const { failures = 0, since = this.#clock.monotonic() } = this.#faults.get(job.id) ?? {};
    const fault = { job, failures: failures + 1, since, last };
    this.#faults.set(job.id, fault);
    return failures < STORAGE_RETRIES_MAX && !this.#isOverdue(fault);
  }

  overdue(): { job: JobRow; failure: TaskFailure }[] {
    return [...this.#faults.values()]
      .filter((fault) => this.#isOverdue(fault))
      .map(({ job, last }) => ({ job, failure: last }));
  }

  #isOverdue({ since }: StorageFault): boolean {
    return this.#clock.monotonic() - since >= STORAGE_PATIENCE_MS;
  }

  forget(jobId: number): void {
    this.#faults.delete(jobId);
  }
}
