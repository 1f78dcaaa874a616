interface Waiting {
  account: number;
  give: (release: () => void) => void;
}

/**
 * Limits concurrency. Accounts take turns in the order of their ids, each with its oldest work first. While several
 * wait, one of them holds at most `size - 1` slots (at least 1), so that another is served when the next work ends.
 */
export class FairSlots {
  readonly #size: number;
  readonly #waiting: Waiting[] = [];
  readonly #held = new Map<number, number>();
  #taken = 0;
  #lastAccount = 0;

  constructor(size: number) {
    this.#size = size;
  }

  /** Resolves with what gives the slot back. Rejects with the signal's reason when it aborts first. */
  acquire(account: number, signal: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const abort = () => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        reject(signal.reason);
      };
      const waiting: Waiting = {
        account,
        give(release) {
          signal.removeEventListener("abort", abort);
          resolve(release);
        },
      };
      signal.addEventListener("abort", abort, { once: true });
      this.#waiting.push(waiting);
      this.#offer();
    });
  }

  #offer(): void {
    while (this.#taken < this.#size) {
      const next = this.#next();
      if (!next) return;
      this.#waiting.splice(this.#waiting.indexOf(next), 1);
      this.#lastAccount = next.account;
      this.#change(next.account, 1);
      let isReleased = false;
      next.give(() => {
        if (isReleased) return;
        isReleased = true;
        this.#change(next.account, -1);
        this.#offer();
      });
    }
  }

  #next(): Waiting | undefined {
    const accounts = [...new Set(this.#waiting.map(({ account }) => account))].sort((a, b) => a - b);
    const later = accounts.filter((account) => account > this.#lastAccount);
    const turns = [...later, ...accounts.filter((account) => account <= this.#lastAccount)];
    const limit = Math.max(1, this.#size - 1);
    const account = turns.find((one) => (this.#held.get(one) ?? 0) < limit) ?? turns[0];
    return this.#waiting.find((waiting) => waiting.account === account);
  }

  #change(account: number, by: 1 | -1): void {
    const held = (this.#held.get(account) ?? 0) + by;
    this.#taken += by;
    if (held === 0) this.#held.delete(account);
    else this.#held.set(account, held);
  }
}
