import type { Clock } from "../../platform/clock.js";

/** Limits how many things that cost calls of the service are done within a window. */
export class CallBudget {
  readonly #clock: Clock;
  readonly #limit: { most: number; withinMs: number };
  #startedAt = Number.NEGATIVE_INFINITY;
  #taken = 0;

  constructor(clock: Clock, limit: { most: number; withinMs: number }) {
    this.#clock = clock;
    this.#limit = limit;
  }

  take(): boolean {
    const { most, withinMs } = this.#limit;
    const now = this.#clock.monotonic();
    if (now - this.#startedAt >= withinMs) {
      this.#startedAt = now;
      this.#taken = 0;
    }
    if (this.#taken >= most) return false;
    this.#taken += 1;
    return true;
  }
}
