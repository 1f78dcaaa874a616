import type { Clock } from "./clock.js";

/** Smallest correction of the clock that counts: others only delay what is due by as much. */
const SET_BACK_MIN_MS = 1000;

/** Notices that the wall clock was set back, by its distance from the monotonic one. */
export class SetBack {
  readonly #clock: Clock;
  #epoch = Number.POSITIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns the set-back since the last `settle`, in ms, or 0. Infinite before the first `settle`. */
  check(): number {
    const epoch = this.#clock.now() - this.#clock.monotonic();
    this.#epoch = Math.max(this.#epoch, epoch);
    const ms = this.#epoch - epoch;
    return ms < SET_BACK_MIN_MS ? 0 : ms;
  }

  settle(): void {
    this.#epoch = this.#clock.now() - this.#clock.monotonic();
  }

  doubt(): void {
    this.#epoch = Number.POSITIVE_INFINITY;
  }
}
