import type { Failure } from "../contract/job.js";
import type { Clock } from "../platform/clock.js";
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
  readonly #faults = new Map<number, StorageFault>();

  constructor(private readonly clock: Clock) {}

  allow(job: JobRow, last: TaskFailure): boolean {
    const { failures = 0, since = this.clock.monotonic() } = this.#faults.get(job.id) ?? {};
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
    return this.clock.monotonic() - since >= STORAGE_PATIENCE_MS;
  }

  forget(jobId: number): void {
    this.#faults.delete(jobId);
  }
}

export type JobOutcome = "done" | Failure;

/** How the jobs of a provider ended since the process began. */
export interface ProviderEnds {
  outcomes: Map<JobOutcome, number>;
  /** How long they waited and ran together, in ms. */
  waitMs: number;
  runMs: number;
}

interface EndedJob {
  provider: string;
  created_at: number;
  started_at: number | null;
}

/** Counts how jobs end, and sums how long they took, by provider. */
export class ProviderTally {
  readonly #ends = new Map<string, ProviderEnds>();

  get ends(): ReadonlyMap<string, ProviderEnds> {
    return this.#ends;
  }

  /** @param endedAt in ms since the epoch */
  note({ provider, created_at, started_at }: EndedJob, outcome: JobOutcome, endedAt: number): void {
    const ends = this.#ends.get(provider) ?? { outcomes: new Map(), waitMs: 0, runMs: 0 };
    this.#ends.set(provider, ends);
    const startedAt = started_at ?? endedAt;
    ends.outcomes.set(outcome, (ends.outcomes.get(outcome) ?? 0) + 1);
    ends.waitMs += Math.max(0, startedAt - created_at);
    ends.runMs += Math.max(0, endedAt - startedAt);
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
  let first: number | undefined;
  let after = shares.lastAccount;
  for (;;) {
    const found = nextAfter(after) ?? nextAfter(0);
    if (!found || found.account_id === first) return overLimit;
    if ((shares.running.get(found.account_id) ?? 0) < limit) return found;
    first ??= found.account_id;
    overLimit ??= found;
    after = found.account_id;
  }
}
