import { type Clock, sleep } from "./clock.js";

export interface RateWindow {
  count: number;
  perMs: number;
}

/** At most `count` starts in any window of `perMs`. Without a window only `hold` limits. */
export class RateLimit {
  readonly #clock: Clock;
  readonly #window: RateWindow | undefined;
  /** The latest starts, the oldest first. */
  readonly #starts: number[];
  #heldUntil = Number.NEGATIVE_INFINITY;

  /**
   * @param recent starts of an earlier process, in ms since the epoch and in order. One of the future counts as of
   *   now: the clock was set back after it.
   */
  constructor(clock: Clock, window?: RateWindow, recent: readonly number[] = []) {
    this.#clock = clock;
    this.#window = window;
    const now = clock.now();
    const epoch = clock.monotonic() - now;
    this.#starts = window ? recent.slice(-window.count).map((at) => epoch + Math.min(at, now)) : [];
  }

  /** By the monotonic clock; may be in the past. */
  get nextStartAt(): number {
    const oldest = this.#starts[0];
    if (!this.#window || oldest === undefined || this.#starts.length < this.#window.count)
      return this.#heldUntil;
    return Math.max(this.#heldUntil, oldest + this.#window.perMs);
  }

  /** @param now by the monotonic clock */
  started(now: number): void {
    if (!this.#window) return;
    this.#starts.push(now);
    if (this.#starts.length > this.#window.count) this.#starts.shift();
  }

  /** Nothing starts before `until`, by the monotonic clock. */
  hold(until: number): void {
    this.#heldUntil = Math.max(this.#heldUntil, until);
  }

  /** Waits for a start and counts it. False when `signal` aborted first. */
  async take(signal?: AbortSignal): Promise<boolean> {
    for (;;) {
      if (signal?.aborted) return false;
      const now = this.#clock.monotonic();
      if (this.nextStartAt <= now) {
        this.started(now);
        return true;
      }
      await sleep(this.#clock, this.nextStartAt - now, signal);
    }
  }
}
