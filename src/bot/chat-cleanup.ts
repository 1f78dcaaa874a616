import type { Database } from "../database/database.js";
import { TrustedClock } from "../database/trusted-clock.js";
import type { CancelTimer, Clock } from "../platform/clock.js";
import type { Integer } from "../platform/integer.js";
import type { Logger } from "../platform/logger.js";
import { DAY_MS, HOUR_MS } from "../platform/units.js";

const CLEANUP_EVERY_MS = HOUR_MS;
/** The longest step of the clock that is believed. Sweeps are an hour apart, so this allows two days without power. */
const CLOCK_LEAP_MS = 2 * DAY_MS;

export type Sweep = (now: Integer) => Promise<void>;

export interface ChatCleanupOptions {
  database: Database;
  clock: Clock;
  logger: Logger;
  sweeps: readonly Sweep[];
}

/** Removes hourly what the chat has no more use for, by a clock that has not leapt ahead. */
export class ChatCleanup {
  readonly #options: ChatCleanupOptions;
  readonly #trusted: TrustedClock;
  #cancel: CancelTimer = () => {};

  constructor(options: ChatCleanupOptions) {
    this.#options = options;
    this.#trusted = new TrustedClock({ ...options, name: "chat", leapMs: CLOCK_LEAP_MS });
  }

  start(): void {
    this.#cancel = this.#options.clock.after(CLEANUP_EVERY_MS, () => {
      this.start();
      void this.#sweep();
    });
  }

  stop(): void {
    this.#cancel();
  }

  async #sweep(): Promise<void> {
    const { logger, sweeps } = this.#options;
    try {
      await this.#trusted.check();
      await Promise.all(sweeps.map((sweep) => sweep(this.#trusted.now())));
    } catch (error) {
      logger.warn({ err: error }, "sweep failed");
    }
  }
}
