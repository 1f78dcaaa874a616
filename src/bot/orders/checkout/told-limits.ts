import { BoundedMap } from "../../../platform/bounded-map.js";
import type { Clock } from "../../../platform/clock.js";
import { MINUTE_MS } from "../../../platform/units.js";

const REMEMBERED = 10_000;

/** Remembers whom a limit was told: once a minute is enough. */
export class ToldLimits {
  readonly #clock: Pick<Clock, "monotonic">;
  /** Times by person. */
  readonly #toldAt = new BoundedMap<number, number>(REMEMBERED);

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /** Tells whether the person was told within the last minute. If not, they are told now. */
  note(userId: number): boolean {
    const now = this.#clock.monotonic();
    const isTold = now - (this.#toldAt.get(userId) ?? Number.NEGATIVE_INFINITY) < MINUTE_MS;
    if (!isTold) this.#toldAt.set(userId, now);
    return isTold;
  }
}
