import { TrustedClock } from "../database/trusted-clock.js";
import type { CancelTimer } from "../platform/clock.js";
import { DAY_MS, HOUR_MS } from "../platform/units.js";
import { type OrphanOptions, removeOrphans } from "./orphans.js";
import { type RetentionOptions, removeExpiredMedia, removeUsedReferences } from "./retention.js";
import type { WorkDirectories } from "./work-directories.js";

const CLEANUP_EVERY_MS = HOUR_MS;
/** Leap that is trusted. Checks are an hour apart, so this allows two days without power. */
const CLOCK_LEAP_MS = 2 * DAY_MS;

export interface MediaCleanupOptions extends OrphanOptions, RetentionOptions {
  workDirectories: WorkDirectories;
}

export function mediaClock(parts: Pick<OrphanOptions, "database" | "clock" | "logger">): TrustedClock {
  return new TrustedClock({ ...parts, name: "media", leapMs: CLOCK_LEAP_MS });
}

/** Removes leftovers, orphans and expired files in the background, at start and hourly. */
export class MediaCleanup {
  readonly #options: MediaCleanupOptions;
  readonly #trusted: TrustedClock;
  #stopping = new AbortController();
  #cancelTimer: CancelTimer = () => {};
  #work: Promise<void> = Promise.resolve();

  constructor(options: MediaCleanupOptions) {
    this.#options = options;
    this.#trusted = mediaClock(options);
  }

  start(): void {
    this.#stopping = new AbortController();
    this.#work = this.#cleanUp();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#cancelTimer();
    await this.#work;
  }

  async #cleanUp(): Promise<void> {
    const { workDirectories } = this.#options;
    const { signal } = this.#stopping;
    await this.#attempt(() => workDirectories.discardUnused());
    if (await this.#attempt(() => this.#trusted.check())) {
      for (const remove of [removeOrphans, removeExpiredMedia, removeUsedReferences])
        await this.#attempt(() => remove(this.#options, signal));
    }
    if (signal.aborted) return;
    this.#cancelTimer = this.#options.clock.after(CLEANUP_EVERY_MS, () => {
      this.#work = this.#cleanUp();
    });
  }

  /** A failed step is retried at the next cleanup. It never stops the service. */
  async #attempt<T>(step: () => Promise<T>): Promise<T | undefined> {
    try {
      return await step();
    } catch (error) {
      this.#options.logger.error({ err: error }, "media cleanup failed");
      return undefined;
    }
  }
}
