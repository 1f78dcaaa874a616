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

  /**
   * The younger of what the stored time says now and what it said at the start, with the time since then: a wall clock
   * that was set makes nothing older than the process, or than what an earlier one left.
   */
  #beginning(since: number, now: number): number {
    const { wall, monotonic } = this.#start;
    return Math.max(now - ageMs(since, this.#clock.now()), monotonic - ageMs(since, wall));
  }
}
