import type { Clock } from "../platform/clock.js";
import type { Logger } from "../platform/logger.js";
import { reasonOf } from "../platform/reason-of.js";
import type { CallOptions } from "./remote.js";

const FRESH_MS = 5000;
const TIMEOUT_MS = 1800;

/** Tells whether the service answers, and takes the key where there is one for all. Asks at most every 5 s. */
export class CoreHealth {
  readonly #call: (options: CallOptions) => Promise<unknown>;
  readonly #clock: Clock;
  readonly #logger: Logger;
  #askedAt = Number.NEGATIVE_INFINITY;
  #answer: Promise<boolean> = Promise.resolve(false);
  #wasGood = true;

  /** @param call a GET of the service */
  constructor(call: (options: CallOptions) => Promise<unknown>, clock: Clock, logger: Logger) {
    this.#call = call;
    this.#clock = clock;
    this.#logger = logger;
  }

  /** Never rejects. */
  isGood(): Promise<boolean> {
    const now = this.#clock.monotonic();
    if (now - this.#askedAt >= FRESH_MS) {
      this.#askedAt = now;
      this.#answer = this.#ask();
    }
    return this.#answer;
  }

  async #ask(): Promise<boolean> {
    try {
      await this.#call({ timeoutMs: TIMEOUT_MS, triesMax: 1 });
      this.#note(true);
      return true;
    } catch (error) {
      this.#note(false, error);
      return false;
    }
  }

  #note(isGood: boolean, error?: unknown): void {
    if (isGood === this.#wasGood) return;
    this.#wasGood = isGood;
    if (isGood) this.#logger.info("the core answers");
    else this.#logger.warn({ reason: reasonOf(error), err: error }, "the core does not answer");
  }
}
