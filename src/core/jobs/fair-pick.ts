import type { Database } from "../../database/database.js";
import type { Transaction } from "../../database/transaction.js";
import { nextQueuedAfter } from "./job-store.js";

/** How the slots of the runner are shared. */
export interface Shares {
  /** How many jobs run at once. */
  concurrency: number;
  /** The account that was served last: the next one has its turn. */
  lastAccount: number;
  /** account → how many of its jobs run now. */
  running: ReadonlyMap<number, number>;
}

/** A queued job whose turn it is. */
export interface Pick {
  id: number;
  account_id: number;
}

/**
 * The next job: accounts take turns in the order of their numbers, each with its oldest job first.
 *
 * While several accounts wait, one account holds at most all slots but one (at least one), so that a
 * newcomer is served as soon as anything ends. When nobody else waits, an account over that limit gets
 * the slot rather than leaving it idle: a job that comes later then waits for one ending at most.
 *
 * One index seek an account at its limit, whatever the length of the queue.
 */
export function pickNext(source: Transaction | Database, shares: Shares): Pick | undefined {
  const limit = Math.max(1, shares.concurrency - 1);
  let overLimit: Pick | undefined;
  let first: number | undefined;
  let after = shares.lastAccount;
  for (;;) {
    const found = nextQueuedAfter(source, after) ?? nextQueuedAfter(source, 0);
    if (!found || found.account_id === first) return overLimit;
    if ((shares.running.get(found.account_id) ?? 0) < limit) return found;
    first ??= found.account_id;
    overLimit ??= found;
    after = found.account_id;
  }
}
