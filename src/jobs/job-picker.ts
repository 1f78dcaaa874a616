import type { Clock } from "../platform/clock.js";
import type { JobRow } from "./job-store.js";
import type { Failed } from "./provider.js";

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

export interface Shares {
  concurrency: number;
  lastAccount: number;
  running: Pick<ReadonlyMap<number, number>, "get">;
}

export interface QueuedJob {
  id: number;
  account_id: number;
}

/**
 * Picks the next job. Accounts take turns in id order, each with its oldest job first. While several accounts
 * wait, each holds at most `concurrency - 1` slots (at least 1), so that a new account is served when the
 * next job ends. An account over that limit gets a slot only when nobody else can use it.
 */
export function pickNext(
  nextAfter: (account: number) => QueuedJob | undefined,
  shares: Shares,
): QueuedJob | undefined {
  const limit = Math.max(1, shares.concurrency - 1);
  let overLimit: QueuedJob | undefined;
  for (const found of inTurns(nextAfter, shares.lastAccount)) {
    if ((shares.running.get(found.account_id) ?? 0) < limit) return found;
    overLimit ??= found;
  }
  return overLimit;
}

/** Yields the next job of each account once: of the accounts after `last` in id order, then of those before. */
export function* inTurns<Next extends { account_id: number }>(
  nextAfter: (account: number) => Next | undefined,
  last: number,
): Generator<Next> {
  let first: number | undefined;
  let after = last;
  for (;;) {
    const found = nextAfter(after) ?? nextAfter(0);
    if (!found || found.account_id === first) return;
    yield found;
    first ??= found.account_id;
    after = found.account_id;
  }
}
