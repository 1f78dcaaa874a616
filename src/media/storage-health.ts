import { Unavailable } from "../contract/errors.js";
import type { CancelTimer, Clock } from "../platform/clock.js";
import type { Logger } from "../platform/logger.js";
import { type BackOff, backOffMs } from "../platform/retry.js";
import type { BlobStore } from "../ports/blob-store.js";

const FREE_SPACE_FRESH_MS = 1000;
const PROBE_FRESH_MS = 5000;
const PROBE_BACK_OFF: BackOff = { firstMs: 1000, maxMs: 15_000 };

export interface StorageHealthOptions {
  /** `requireSpace` is optional and cheaper than `check`. It passes while there is free space. */
  blobs: Pick<BlobStore, "check"> & { requireSpace?(): Promise<void> };
  clock: Clock;
  logger: Logger;
  onRecovered: () => void;
}

/** Knows whether results can be written. A failed write marks storage bad, a successful probe good. */
export class StorageHealth {
  readonly #options: StorageHealthOptions;
  #isGood = true;
  #probedAt = Number.NEGATIVE_INFINITY;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #check: Promise<void> | undefined;
  #failedProbes = 0;
  #cancelTimer: CancelTimer = () => {};
  #isStopped = false;

  constructor(options: StorageHealthOptions) {
    this.#options = options;
  }

  get isGood(): boolean {
    return this.#isGood;
  }

  /** Probes storage, unless it was found good within seconds. Throws Unavailable `storage`. */
  async require(): Promise<void> {
    const { clock } = this.#options;
    if (this.#isGood && clock.monotonic() - this.#lookedAt < FREE_SPACE_FRESH_MS) return;
    this.#check ??= this.#examine().finally(() => {
      this.#check = undefined;
    });
    await this.#check;
    if (!this.#isGood) throw new Unavailable("storage");
  }

  markBad(cause: unknown): void {
    if (!this.#isGood) return;
    this.#options.logger.error({ err: cause }, "storage bad");
    this.#isGood = false;
    this.#failedProbes = 0;
    this.#scheduleProbe();
  }

  async start(): Promise<void> {
    this.#isStopped = false;
    await this.#probe();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelTimer();
  }

  async #examine(): Promise<void> {
    const { blobs, clock } = this.#options;
    const isProbeFresh = clock.monotonic() - this.#probedAt < PROBE_FRESH_MS;
    if (!this.#isGood || !isProbeFresh) return this.#probe();
    try {
      await blobs.requireSpace?.();
      this.#lookedAt = clock.monotonic();
    } catch (error) {
      this.markBad(error);
    }
  }

  async #probe(): Promise<void> {
    const { blobs, clock, logger, onRecovered } = this.#options;
    try {
      await blobs.check();
    } catch (error) {
      this.markBad(error);
      this.#failedProbes += 1;
      this.#scheduleProbe();
      return;
    }
    this.#probedAt = clock.monotonic();
    this.#lookedAt = this.#probedAt;
    this.#cancelTimer();
    if (this.#isGood) return;
    this.#isGood = true;
    logger.info("storage good");
    onRecovered();
  }

  #scheduleProbe(): void {
    this.#cancelTimer();
    if (this.#isStopped) return;
    const delayMs = backOffMs(this.#failedProbes + 1, PROBE_BACK_OFF);
    this.#cancelTimer = this.#options.clock.after(delayMs, () => void this.require().catch(() => {}));
  }
}
