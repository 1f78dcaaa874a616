import type { CancelTimer } from "../../platform/clock.js";
import { type OrphanOptions, removeOrphans } from "./orphans.js";
import { type RetentionOptions, removeExpiredMedia, removeUsedReferences } from "./retention.js";

/** The pause between two looks for expired files, in ms. */
const RETENTION_EVERY_MS = 60 * 60 * 1000;

/** Keeps the media folder tidy in the background: orphans at start, expired files at start and hourly. */
export class MediaKeeper {
  readonly #options: OrphanOptions & RetentionOptions;
  #stopping = new AbortController();
  #cancelTimer: CancelTimer = () => {};
  #work: Promise<void> = Promise.resolve();

  constructor(options: OrphanOptions & RetentionOptions) {
    this.#options = options;
  }

  start(): void {
    this.#stopping = new AbortController();
    this.#work = this.#attempt(removeOrphans).then(() => this.#keepExpiring());
  }

  /** Resolves when the step at hand has ended. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#cancelTimer();
    await this.#work;
  }

  async #keepExpiring(): Promise<void> {
    await this.#attempt(removeExpiredMedia);
    await this.#attempt(removeUsedReferences);
    if (this.#stopping.signal.aborted) return;
    this.#cancelTimer = this.#options.clock.after(RETENTION_EVERY_MS, () => {
      this.#work = this.#keepExpiring();
    });
  }

  /** A tidy-up that fails is tried again at its next turn; it never ends the service. */
  async #attempt(
    tidy: (options: OrphanOptions & RetentionOptions, signal: AbortSignal) => Promise<number>,
  ): Promise<void> {
    try {
      await tidy(this.#options, this.#stopping.signal);
    } catch (error) {
      this.#options.logger.error({ err: error }, "media could not be tidied");
    }
  }
}
