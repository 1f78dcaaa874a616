import type { Database } from "../../database/database.js";
import type { Transaction } from "../../database/transaction.js";
import type { Clock } from "../../platform/clock.js";
import type { Provider } from "../../ports/provider.js";
import { type JobRow, nextQueuedAfter, startJob } from "./job-store.js";

interface Claimed {
  ids: Set<number>;
  counts: AccountCounts;
}

export interface JobSource {
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
  readonly running = new AccountCounts();
  #lastAccount = 0;

  constructor(options: JobPickerOptions) {
    this.#options = options;
  }

  hasNext(source: Database): boolean {
    return this.#next(source, { ids: new Set(), counts: new AccountCounts() }) !== undefined;
  }

  /** Starts jobs, in a transaction, `resumable` ones (ids) before any other. @param max `all` counts new ones too */
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

/** Jobs by account. Accounts without any take no memory. */
export class AccountCounts {
  readonly #counts = new Map<number, number>();

  get(account: number): number {
    return this.#counts.get(account) ?? 0;
  }

  add(account: number): void {
    this.#counts.set(account, this.get(account) + 1);
  }

  remove(account: number): void {
    const count = this.get(account) - 1;
    if (count > 0) this.#counts.set(account, count);
    else this.#counts.delete(account);
  }
}
