import { type Clock, sleep } from "./clock.js";

export interface RateWindow {
  count: number;
  perMs: number;
}

/** Limits starts to `count` in any window of `perMs`. Without a window only `hold` limits. */
export class RateLimit {
  readonly #starts: number[];
  #heldUntil = Number.NEGATIVE_INFINITY;

  /** Continues from `recent` starts, in ms since the epoch and in order. One of the future counts as of now. */
  constructor(
    private readonly clock: Clock,
    private readonly window?: RateWindow,
    recent: readonly number[] = [],
  ) {
    const now = clock.now();
    const epoch = clock.monotonic() - now;
    this.#starts = window ? recent.slice(-window.count).map((at) => epoch + Math.min(at, now)) : [];
  }

  /** Time on the monotonic clock from which a start is allowed; may be in the past. */
  get nextStartAt(): number {
    const oldest = this.#starts[0];
    if (!this.window || oldest === undefined || this.#starts.length < this.window.count)
      return this.#heldUntil;
    return Math.max(this.#heldUntil, oldest + this.window.perMs);
  }

  started(now: number): void {
    if (!this.window) return;
    this.#starts.push(now);
    if (this.#starts.length > this.window.count) this.#starts.shift();
  }

  /** Prevents starts before `until`, on the monotonic clock. */
  hold(until: number): void {
    this.#heldUntil = Math.max(this.#heldUntil, until);
  }

  /** Waits for a start and counts it. Returns false when `signal` aborted first. */
  async take(signal?: AbortSignal): Promise<boolean> {
    for (;;) {
      if (signal?.aborted) return false;
      const now = this.clock.monotonic();
      if (this.nextStartAt <= now) {
        this.started(now);
        return true;
      }
      await sleep(this.clock, this.nextStartAt - now, signal);
    }
  }
}

/** The number of keys above which windows that are over are dropped. */
const KEYS_MAX = 10_000;

interface Budget {
  most: number;
  withinMs: number;
}

/** Limits what each key does within windows that begin with its first call. */
export class Budgets<Key> {
  readonly #windows = new Map<Key, { startedAt: number; taken: number }>();

  constructor(
    private readonly clock: Clock,
    private readonly budget: Budget,
  ) {}

  /** Counts one call. Returns 0 where it may pass, otherwise the time in ms until the window ends. */
  take(key: Key): number {
    const { most, withinMs } = this.budget;
    const now = this.clock.monotonic();
    const isOver = ({ startedAt }: { startedAt: number }) => now - startedAt >= withinMs;
    const window = this.#windows.get(key);
    if (!window || isOver(window)) {
      if (this.#windows.size >= KEYS_MAX)
        for (const [known, one] of this.#windows) if (isOver(one)) this.#windows.delete(known);
      this.#windows.set(key, { startedAt: now, taken: 1 });
      return 0;
    }
    window.taken += 1;
    return window.taken <= most ? 0 : window.startedAt + withinMs - now;
  }
}
