import { timingSafeEqual } from "node:crypto";
import { BoundedMap } from "../../../platform/bounded-map.js";
import type { Clock } from "../../../platform/clock.js";
import { HOUR_MS } from "../../../platform/units.js";

const OPEN_MS = HOUR_MS;
/** The most wrong codes of a person, and of all people together: nobody guesses 64 bits, so more are an attack. */
const TRIES_MAX = 5;
const ALL_TRIES_MAX = 1000;
const REMEMBERED = 1000;

/** Holds the code that makes one person an admin. It is in memory: a restart prints another one. */
export class AdminCode {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #tries = new BoundedMap<number, number>(REMEMBERED);
  #allTries = 0;
  #held: { code: Buffer; until: number } | undefined;

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  open(code: string): void {
    this.#held = { code: Buffer.from(code), until: this.#clock.monotonic() + OPEN_MS };
  }

  /**
   * Takes the code if it is the right one, once. Undefined for a wrong one, and for each after too many.
   * @returns what puts it back, for an admin who could not be kept
   */
  take(userId: number, given: string): { giveBack(): void } | undefined {
    const held = this.#held;
    const tries = this.#tries.get(userId) ?? 0;
    if (!held || this.#clock.monotonic() >= held.until || tries >= TRIES_MAX) return undefined;
    if (isEqual(Buffer.from(given), held.code)) {
      this.#held = undefined;
      const giveBack = () => {
        this.#held = held;
      };
      return { giveBack };
    }
    this.#tries.set(userId, tries + 1);
    this.#allTries += 1;
    if (this.#allTries >= ALL_TRIES_MAX) this.#held = undefined;
    return undefined;
  }
}

function isEqual(given: Buffer, expected: Buffer): boolean {
  return given.length === expected.length && timingSafeEqual(given, expected);
}
