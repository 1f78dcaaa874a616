import type { Clock } from "../../platform/clock.js";
import type { Logger } from "../../platform/logger.js";
import { MINUTE_MS } from "../../platform/units.js";

const REMIND_MS = 10 * MINUTE_MS;

/** Logs an outage of Telegram in one line at its start, in one every ten minutes, and in one at its end. */
export class OutageLog {
  readonly #clock: Clock;
  readonly #logger: Logger;
  #outage: { beganAt: number; toldAt: number; tries: number } | undefined;

  constructor(clock: Clock, logger: Logger) {
    this.#clock = clock;
    this.#logger = logger;
  }

  failed(err: unknown): void {
    const now = this.#clock.monotonic();
    const outage = this.#outage;
    if (!outage) {
      this.#outage = { beganAt: now, toldAt: now, tries: 1 };
      this.#logger.warn({ err }, "Telegram does not answer, trying again");
      return;
    }
    outage.tries += 1;
    if (now - outage.toldAt < REMIND_MS) return;
    outage.toldAt = now;
    this.#logger.warn({ err, ...this.#length(outage) }, "Telegram still does not answer");
  }

  answered(): void {
    if (!this.#outage) return;
    this.#logger.info(this.#length(this.#outage), "Telegram answers again");
    this.#outage = undefined;
  }

  #length({ beganAt, tries }: { beganAt: number; tries: number }): { tries: number; seconds: number } {
    return { tries, seconds: Math.round((this.#clock.monotonic() - beganAt) / 1000) };
  }
}
