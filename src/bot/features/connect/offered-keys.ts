import { BoundedMap } from "../../../platform/bounded-map.js";
import type { Clock } from "../../../platform/clock.js";
import { MINUTE_MS } from "../../../platform/units.js";

const KEPT_MS = 10 * MINUTE_MS;
const REMEMBERED = 1000;

interface OfferedKey {
  key: string;
  message: number;
  /** The end of the offer, by the monotonic clock. */
  until: number;
}

/** Keys that people were asked about, in memory only: none may stand in a file. */
export class OfferedKeys {
  readonly #clock: Clock;
  readonly #keys = new BoundedMap<number, OfferedKey>(REMEMBERED);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  offer(userId: number, key: string, message: number): void {
    this.#keys.set(userId, { key, message, until: this.#clock.monotonic() + KEPT_MS });
  }

  /** Returns an offered key. Undefined when another one was offered since, or after ten minutes. */
  take(userId: number, message: number): string | undefined {
    const offered = this.#keys.get(userId);
    if (offered?.message !== message) return undefined;
    this.#keys.delete(userId);
    return this.#clock.monotonic() < offered.until ? offered.key : undefined;
  }

  forget(userId: number): void {
    this.#keys.delete(userId);
  }
}
