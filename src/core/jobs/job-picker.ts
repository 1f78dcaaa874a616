import type { Database } from "../../database/database.js";
import type { Transaction } from "../../database/transaction.js";
import type { Clock } from "../../platform/clock.js";
import type { Provider } from "../../ports/provider.js";
import { AccountCounts } from "./account-counts.js";
import { pickNext, type QueuedJob } from "./fair-pick.js";
import { type JobRow, nextQueuedAfter, startJob } from "./job-store.js";

/** Jobs that a transaction has started so far. */
interface Claimed {
  ids: Set<number>;
  counts: AccountCounts;
}

export interface JobSource {
  /** The oldest job of the next account after `after`. */
  nextAfter(after: number, without: ReadonlySet<number>): QueuedJob | undefined;
}

export interface JobPickerOptions {
  provider: Pick<Provider, "name" | "concurrency">;
  /** Jobs that are ready beside the queued ones without references. */
  ready: readonly JobSource[];
  forget: (id: number) => void;
  clock: Clock;
}

/** Picks the jobs of one provider that start next, in turns of their accounts. */
export class JobPicker {
  readonly #options: JobPickerOptions;
  /** Running jobs. */
  readonly running = new AccountCounts();
  #lastAccount = 0;

  constructor(options: JobPickerOptions) {
    this.#options = options;
  }

  hasNext(source: Database): boolean {
    return this.#next(source, { ids: new Set(), counts: new AccountCounts() }) !== undefined;
  }

  /**
   * Starts jobs, in a transaction.
   * @param resumable ids of jobs that start before any other
   * @param max `all`: with new ones
   */
  claim(tx: Transaction, resumable: Iterable<number>, max: { resumed: number; all: number }): JobRow[] {
    const { forget, clock } = this.#options;
    const jobs: JobRow[] = [];
    const claimed: Claimed = { ids: new Set(), counts: new AccountCounts() };
    const start = (id: number) => {
      const job = startJob(tx, id, clock.now());
      if (!job) return undefined;
      jobs.push(job);
      claimed.ids.add(job.id);
      claimed.counts.add(job.account_id);
      return job;
    };
    for (const id of resumable) {
      if (jobs.length >= max.resumed) break;
      start(id);
    }
    while (jobs.length < max.all) {
      const next = this.#next(tx, claimed);
      const job = next && start(next.id);
      if (next && !job) forget(next.id);
      if (!job) break;
      this.#lastAccount = job.account_id;
    }
    return jobs;
  }

  #next(source: Transaction | Database, { ids, counts }: Claimed): QueuedJob | undefined {
    const { provider, ready } = this.#options;
    const nextAfter = (account: number) =>
      ready.reduce<QueuedJob | undefined>(
        (next, from) => earlier(next, from.nextAfter(account, ids)),
        nextQueuedAfter(source, provider.name, account),
      );
    return pickNext(nextAfter, {
      concurrency: provider.concurrency,
      lastAccount: this.#lastAccount,
      running: { get: (account) => this.running.get(account) + counts.get(account) },
    });
  }
}

function earlier(a: QueuedJob | undefined, b: QueuedJob | undefined): QueuedJob | undefined {
  if (!a || !b) return a ?? b;
  return (a.account_id - b.account_id || a.id - b.id) < 0 ? a : b;
}
