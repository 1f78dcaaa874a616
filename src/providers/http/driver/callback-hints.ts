import { BoundedMap } from "../../../platform/bounded-map.js";
import type { Clock } from "../../../platform/clock.js";
import { SECOND_MS } from "../../../platform/units.js";

interface Hint {
  count: number;
  /** True while the service was not asked since the latest call. */
  isWaiting: boolean;
  /** Time on the monotonic clock at which the service is asked because of a call. */
  askAt: number;
}

const REMEMBERED = 10_000;
/** Limits hints: some services call more than once for a task, such as for each stage of a song. */
const HINTS_MAX = 3;
/** Spaces the questions about one task that callbacks cause. */
const HINT_PAUSE_MS = 5 * SECOND_MS;

/** Remembers which attempts were called about. In memory: what a crash loses is only a hint. */
export class CallbackHints {
  readonly #clock: Clock;
  readonly #hints = new BoundedMap<number, Hint>(REMEMBERED);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes a call. Returns in how many ms the service is to be asked; undefined for one that changes nothing. */
  add(attemptId: number): number | undefined {
    const now = this.#clock.monotonic();
    const known = this.#hints.get(attemptId);
    if (known?.isWaiting || (known?.count ?? 0) >= HINTS_MAX) return undefined;
    const askAt = known ? Math.max(now, known.askAt + HINT_PAUSE_MS) : now;
    this.#hints.set(attemptId, { count: (known?.count ?? 0) + 1, isWaiting: true, askAt });
    return askAt - now;
  }

  has(attemptId: number): boolean {
    return this.#hints.get(attemptId) !== undefined;
  }

  /** Notes that the service is being asked: what it calls from now on is new. */
  noteAsked(attemptId: number): void {
    const hint = this.#hints.get(attemptId);
    if (hint) hint.isWaiting = false;
  }

  /** Returns in how many ms the service is to be asked; undefined where no call came since it was. */
  waitMs(attemptId: number): number | undefined {
    const hint = this.#hints.get(attemptId);
    return hint?.isWaiting ? Math.max(0, hint.askAt - this.#clock.monotonic()) : undefined;
  }
}
