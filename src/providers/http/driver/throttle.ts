import type { CancelTimer, Clock } from "../../../platform/clock.js";
import { MINUTE_MS, SECOND_MS } from "../../../platform/units.js";

/** Kinds of calls: one says nothing of whether the other is taken. */
export type Throttled = "submit" | "poll";

export interface ThrottleOptions {
  clock: Clock;
  onChange: () => void;
}

/** Wait after an answer that names no time. */
export const THROTTLE_MS = 10 * SECOND_MS;
/** Shortest wait that is more than the ordinary pace of a service. */
export const LONG_WAIT_MS = MINUTE_MS;
/** Time after which a task is sent all the same: what a service says about waiting may be wrong. */
const TRY_AFTER_MS = 10 * MINUTE_MS;

interface Hold {
  by: Throttled;
  since: number;
  until: number;
  nextTryAt: number;
  isTried: boolean;
}

/** Knows whether the service wants to be left alone for more than a minute. In memory: `ServiceState` keeps it. */
export class Throttle {
  readonly #options: ThrottleOptions;
  #hold: Hold | undefined;
  /** Times on the monotonic clock since which every call was turned away. */
  readonly #firstAt = new Map<Throttled, number>();
  #cancel: CancelTimer = () => {};

  constructor(options: ThrottleOptions) {
    this.#options = options;
  }

  get current(): Readonly<Hold> | undefined {
    return this.#hold;
  }

  turnedAway(by: Throttled, waitMs = THROTTLE_MS): void {
    const { clock } = this.#options;
    const now = clock.monotonic();
    const firstAt = this.#firstAt.get(by) ?? now;
    this.#firstAt.set(by, firstAt);
    if (now + waitMs - firstAt <= LONG_WAIT_MS) return;
    if (this.#hold?.by === "submit" && by === "poll") return;
    this.#begin(by, this.#hold?.since ?? clock.now() - (now - firstAt), waitMs);
  }

  restore(since: number, waitMs: number): void {
    this.#begin("submit", since, Math.max(0, Math.min(waitMs, TRY_AFTER_MS)));
  }

  taken(by: Throttled): void {
    this.#firstAt.delete(by);
    if (this.#hold && (by === "submit" || this.#hold.by === by)) this.end();
  }

  /** Call before a task is sent: the next one waits for what this one comes to. */
  noteTry(): void {
    const hold = this.#hold;
    if (hold?.isTried)
      this.#begin(hold.by, hold.since, Math.max(hold.until - this.#options.clock.monotonic(), LONG_WAIT_MS));
  }

  end(): void {
    this.#cancel();
    if (!this.#hold) return;
    this.#hold = undefined;
    this.#options.onChange();
  }

  close(): void {
    this.#cancel();
  }

  #begin(by: Throttled, since: number, waitMs: number): void {
    const { clock, onChange } = this.#options;
    const afterMs = Math.min(waitMs, TRY_AFTER_MS);
    this.#cancel();
    const until = clock.monotonic() + waitMs;
    this.#hold = { by, since, until, nextTryAt: clock.now() + afterMs, isTried: false };
    this.#cancel = clock.after(afterMs, () => this.#letTry(waitMs - afterMs));
    onChange();
  }

  /** Lets one task through: without an order nothing would show that the wait is over. */
  #letTry(leftMs: number): void {
    const { clock, onChange } = this.#options;
    if (!this.#hold) return;
    this.#hold = { ...this.#hold, isTried: true };
    this.#cancel = clock.after(leftMs + LONG_WAIT_MS, () => this.end());
    onChange();
  }
}
