import type { Database } from "../../database/database.js";
import type { CancelTimer, Clock } from "../../platform/clock.js";
import type { Logger } from "../../platform/logger.js";
import { repeat } from "../../platform/retry.js";
import { SECOND_MS } from "../../platform/units.js";
import type { Reloadable } from "./offers-table.js";
import { ReloadRequests } from "./reload-requests.js";

const LOOK_INTERVAL_MS = SECOND_MS;

export interface ReloadWatchOptions {
  what: Reloadable;
  /** Reads the files anew. Returns why nothing was changed; null for good files. */
  reload: () => string | null;
  database: Database;
  clock: Clock;
  logger: Logger;
}

/** Answers requests of the command line to read files of the operator anew. */
export class ReloadWatch {
  readonly #options: ReloadWatchOptions;
  readonly #requests: ReloadRequests;
  #cancel: CancelTimer = () => {};
  #answering: Promise<void> | undefined;

  constructor(options: ReloadWatchOptions) {
    this.#options = options;
    this.#requests = new ReloadRequests(options.database, options.clock, options.what);
  }

  start(): void {
    this.#cancel = repeat(this.#options.clock, LOOK_INTERVAL_MS, () => {
      this.#answering ??= this.#answer().finally(() => {
        this.#answering = undefined;
      });
    });
  }

  async stop(): Promise<void> {
    this.#cancel();
    await this.#answering;
  }

  /** Never rejects. A request that could not be answered is looked at again. */
  async #answer(): Promise<void> {
    const { what, reload, logger } = this.#options;
    try {
      if (this.#requests.isAsked) await this.#requests.answer(reload());
    } catch (error) {
      logger.warn({ what, err: error }, "request to read files anew not answered");
    }
  }
}
