import type { Clock } from "../platform/clock.js";
import { SECOND_MS } from "../platform/units.js";
import { hostOf } from "./admission.js";

const WINDOW_MS = 10 * SECOND_MS;
/** The most calls of a host: several times what a service calls when hundreds of tasks end in a minute. */
const HOST_MAX = 300;
const ALL_MAX = 1000;

/** Limits how many callbacks are looked at, by address and in all, in windows of ten seconds. */
export class HookLimit {
  readonly #clock: Clock;
  #startedAt = Number.NEGATIVE_INFINITY;
  readonly #byHost = new Map<string, number>();
  #all = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts one call. Returns false for one that is not looked at. */
  take(address: string): boolean {
    const now = this.#clock.monotonic();
    if (now - this.#startedAt >= WINDOW_MS) {
      this.#startedAt = now;
      this.#byHost.clear();
      this.#all = 0;
    }
    const host = hostOf(address);
    const ofHost = this.#byHost.get(host) ?? 0;
    if (ofHost >= HOST_MAX || this.#all >= ALL_MAX) return false;
    this.#byHost.set(host, ofHost + 1);
    this.#all += 1;
    return true;
  }
}
