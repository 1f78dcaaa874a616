import { BoundedMap } from "./bounded-map.js";
import { ageMs, type Clock } from "./clock.js";

const REMEMBERED = 10_000;

/** Measures how long stored states last, by the monotonic clock since the start: a wall clock that is set ends none. */
export class Ages {
  readonly #start: { wall: number; monotonic: number };
  /** Beginnings of states, on the monotonic clock. */
  readonly #begun = new BoundedMap<string, number>(REMEMBERED);

  constructor(private readonly clock: Clock) {
    this.#start = { wall: clock.now(), monotonic: clock.monotonic() };
  }

  /** Returns the age in ms of the state that `key` names and that began at `since`. */
  of(key: string, since: number): number {
    const now = this.clock.monotonic();
    const begun = this.#begun.get(key) ?? this.#beginning(since, now);
    this.#begun.set(key, begun);
    return now - begun;
  }

  /** Returns the younger of what the stored time says now and what it said at the start. */
  #beginning(since: number, now: number): number {
    const { wall, monotonic } = this.#start;
    return Math.max(now - ageMs(since, this.clock.now()), monotonic - ageMs(since, wall));
  }
}
