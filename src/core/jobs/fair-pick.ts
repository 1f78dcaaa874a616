export interface Shares {
  concurrency: number;
  lastAccount: number;
  /** Running jobs by account. */
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
 * @param nextAfter returns the oldest job of the first account after the given one that has a job
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
