import { BoundedMap } from "./bounded-map.js";
import { ageMs, type Clock } from "./clock.js";

const REMEMBERED = 10_000;

/**
 * Measures how long stored states last. The stored time counts at the first look, which may be another process's;
 * from then on the monotonic clock does, so that nothing is given up because the wall clock was set.
 */
export class Ages {
  readonly #clock: Clock;
  /** By the monotonic clock. */
  readonly #begun = new BoundedMap<string, number>(REMEMBERED);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * The age of a state in ms, from `since`.
   * @param key names the state
   */
  of(key: string, since: number): number {
    const now = this.#clock.monotonic();
    const begun = this.#begun.get(key) ?? now - ageMs(since, this.#clock.now());
    this.#begun.set(key, begun);
    return now - begun;
  }
}
