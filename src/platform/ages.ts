import { BoundedMap } from "./bounded-map.js";
import { ageMs, type Clock } from "./clock.js";

const REMEMBERED = 10_000;

/**
 * Measures how long stored states last. Until the start the stored time counts, which may be another process's;
 * from then on the monotonic clock does, so that nothing is given up because the wall clock was set.
 */
export class Ages {
  readonly #clock: Clock;
  /** The start, by both clocks. */
  readonly #start: { wall: number; monotonic: number };
  /** By the monotonic clock. */
  readonly #begun = new BoundedMap<string, number>(REMEMBERED);

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#start = { wall: clock.now(), monotonic: clock.monotonic() };
  }

  /**
   * The age of a state in ms, from `since`.
   * @param key names the state
   */
  of(key: string, since: number): number {
    const now = this.#clock.monotonic();
    const begun = this.#begun.get(key) ?? this.#beginning(since, now);
    this.#begun.set(key, begun);
    return now - begun;
  }

  /** The younger of what either clock says: a wall clock that was set since the start makes nothing older. */
  #beginning(since: number, now: number): number {
    const { wall, monotonic } = this.#start;
    const begun = now - ageMs(since, this.#clock.now());
    return since <= wall ? Math.max(begun, monotonic - (wall - since)) : begun;
  }
}
