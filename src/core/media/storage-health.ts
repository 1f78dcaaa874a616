import { join } from "node:path";
import { Unavailable } from "../../contract/errors.js";
import type { CancelTimer, Clock } from "../../platform/clock.js";
import type { Ids } from "../../platform/ids.js";
import type { Logger } from "../../platform/logger.js";
import type { MediaDisk } from "./disk.js";

/** Nothing new is accepted while less than this is free, in bytes: what runs already needs room to end. */
export const STORAGE_RESERVE_BYTES = 64 * 1024 * 1024;
/** How long one look at the free space serves, in ms. */
const FREE_SPACE_FRESH_MS = 1000;
/** The pause between two probes while the store is bad, in ms. */
const PROBE_EVERY_MS = 15_000;
const PROBE_BYTES = Buffer.alloc(4096, "atelier ");

export interface StorageHealthOptions {
  disk: MediaDisk;
  /** A folder on the file system of the media, made by the probe when absent. */
  directory: string;
  clock: Clock;
  ids: Ids;
  logger: Logger;
}

/** Whether results can be written. A failed write makes it bad; a written and removed probe makes it good. */
export class StorageHealth {
  readonly #options: StorageHealthOptions;
  #isGood = true;
  #checkedAt = Number.NEGATIVE_INFINITY;
  #check: Promise<void> | undefined;
  #cancelTimer: CancelTimer = () => {};
  #isStopped = false;

  constructor(options: StorageHealthOptions) {
    this.#options = options;
  }

  get isGood(): boolean {
    return this.#isGood;
  }

  /**
   * Passes when a new order can be accepted: probes while the store is bad, looks at the free space (once a
   * second) while it is good.
   * @throws Unavailable `storage`
   */
  async require(): Promise<void> {
    const { clock } = this.#options;
    if (this.#isGood && clock.now() - this.#checkedAt < FREE_SPACE_FRESH_MS) return;
    this.#check ??= this.#examine().finally(() => {
      this.#check = undefined;
    });
    await this.#check;
    if (!this.#isGood) throw new Unavailable("storage");
  }

  /** A write has failed: refuses orders until a probe succeeds. */
  markBad(cause: unknown): void {
    if (this.#isGood) this.#options.logger.error({ err: cause }, "storage bad");
    this.#isGood = false;
    this.#cancelTimer();
    if (!this.#isStopped)
      this.#cancelTimer = this.#options.clock.after(PROBE_EVERY_MS, () => void this.#probeAgain());
  }

  /** Looks once at start, so that an unwritable folder is known before the first order. */
  async start(): Promise<void> {
    this.#isStopped = false;
    await this.#probe();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelTimer();
  }

  async #probeAgain(): Promise<void> {
    await this.require().catch(() => {});
  }

  async #examine(): Promise<void> {
    // The first look is a probe: it makes the folder whose free space the others ask for.
    if (!this.#isGood || this.#checkedAt === Number.NEGATIVE_INFINITY) return this.#probe();
    try {
      await this.#requireFreeSpace();
    } catch (error) {
      this.markBad(error);
    }
  }

  async #probe(): Promise<void> {
    const { disk, directory, ids, logger } = this.#options;
    const file = join(directory, `probe-${ids.file()}`);
    try {
      await disk.makeDirectory(directory);
      await disk.write(file, [PROBE_BYTES]);
      await disk.remove(file);
      await this.#requireFreeSpace();
    } catch (error) {
      await disk.remove(file).catch(() => {});
      this.markBad(error);
      return;
    }
    this.#cancelTimer();
    if (!this.#isGood) logger.info("storage good");
    this.#isGood = true;
  }

  async #requireFreeSpace(): Promise<void> {
    const { disk, directory, clock } = this.#options;
    const free = await disk.freeBytes(directory);
    this.#checkedAt = clock.now();
    if (free < STORAGE_RESERVE_BYTES) throw new Error(`only ${free} bytes are free for media`);
  }
}
