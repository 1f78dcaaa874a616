import { BoundedMap } from "../../platform/bounded-map.js";
import type { Clock } from "../../platform/clock.js";
import { type BackOff, backOffMs } from "../../platform/retry.js";

/** Failures in a row without a delay: the most jobs that one order has. */
export const FREE_FAILURES = 4;
export const PENALTY_BACK_OFF: BackOff = { firstMs: 5000, maxMs: 60_000 };
const REMEMBERED = 10_000;

/** Delays accounts whose references fail repeatedly, so that their links do not occupy the pool. */
export class FetchPenalties {
  readonly #clock: Clock;
  readonly #accounts = new BoundedMap<number, { failures: number; until: number }>(REMEMBERED);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  succeeded(account: number): void {
    this.#accounts.delete(account);
  }

  failed(account: number): number {
    const failures = (this.#accounts.get(account)?.failures ?? 0) + 1;
    const isFree = failures <= FREE_FAILURES;
    const waitMs = isFree ? 0 : backOffMs(failures - FREE_FAILURES, PENALTY_BACK_OFF);
    this.#accounts.set(account, { failures, until: this.#clock.monotonic() + waitMs });
    return waitMs;
  }

  waitOf(account: number): number {
    const until = this.#accounts.get(account)?.until ?? Number.NEGATIVE_INFINITY;
    return Math.max(0, until - this.#clock.monotonic());
  }
}
