import type { Api } from "grammy";
import type { Database } from "../../../database/database.js";
import type { Transaction } from "../../../database/transaction.js";
import type { CancelTimer, Clock } from "../../../platform/clock.js";
import type { Logger } from "../../../platform/logger.js";
import { repeat } from "../../../platform/retry.js";
import type { PersonalData } from "../../../ports/personal-data.js";
import { eraseOrders, hasOpenOrders } from "../../orders/store/erase-orders.js";
import type { OwnDataParts } from "../../own-data.js";
import type { People } from "../../people/people.js";
import type { Texts } from "../../texts/texts.js";

const LOOK_INTERVAL_MS = 5000;
const STEP_ORDERS = 100;

export interface ErasuresOptions {
  /** Retries failed calls. */
  api: Pick<Api, "sendMessage">;
  database: Database;
  people: People;
  ownData: OwnDataParts;
  personalData: PersonalData;
  texts: Texts;
  clock: Clock;
  logger: Logger;
}

/**
 * Erases people who asked for it, as soon as their orders have ended. A repeat goes on after a crash: each step erases
 * what is left, and the wish is removed last.
 */
export class Erasures {
  readonly #options: ErasuresOptions;
  readonly #stopping = new AbortController();
  #working: Promise<void> | undefined;
  #cancel: CancelTimer = () => {};
  /** Words that were erased may be in the database's log, also those of before a crash. */
  #isLogFull = true;

  constructor(options: ErasuresOptions) {
    this.#options = options;
  }

  start(): void {
    this.#cancel = repeat(this.#options.clock, LOOK_INTERVAL_MS, () => {
      this.#working ??= this.#eraseAll().finally(() => {
        this.#working = undefined;
      });
    });
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#cancel();
    await this.#working;
  }

  /** Never rejects. */
  async #eraseAll(): Promise<void> {
    const { personalData, logger } = this.#options;
    for (const userId of personalData.toErase()) {
      if (this.#stopping.signal.aborted) return;
      if (this.#isBusy(userId)) continue;
      await this.#erase(userId).catch((error: unknown) =>
        logger.error({ user_id: userId, err: error }, "person not erased yet, trying again"),
      );
    }
    this.#emptyLog();
  }

  /** Looks again later while another process, such as a backup, reads the log. */
  #emptyLog(): void {
    const { database, logger } = this.#options;
    if (!this.#isLogFull || this.#stopping.signal.aborted) return;
    try {
      this.#isLogFull = !database.emptyLog();
    } catch (error) {
      logger.warn({ err: error }, "log of the database not emptied, trying again");
    }
  }

  #isBusy(userId: number): boolean {
    const { database, personalData } = this.#options;
    return hasOpenOrders(database, userId) || personalData.hasOpenJobs(userId);
  }

  async #erase(userId: number): Promise<void> {
    const { database, people, ownData, personalData, texts, api, logger } = this.#options;
    const { signal } = this.#stopping;
    const { t } = texts.in(people.find(userId)?.locale);
    await this.#eraseOrders(userId);
    await personalData.erase(userId, signal);
    if (signal.aborted) return;
    await database.write("erasure:person", (tx: Transaction) => {
      ownData.eraseIn(tx, userId);
    });
    await personalData.finishErasure(userId);
    this.#isLogFull = true;
    await api
      .sendMessage(userId, t("my-data-forgotten"))
      .catch((error: unknown) => logger.info({ user_id: userId, err: error }, "erased person not told"));
  }

  async #eraseOrders(userId: number): Promise<void> {
    const { database } = this.#options;
    const erase = (tx: Transaction) => eraseOrders(tx, userId, STEP_ORDERS);
    while (!this.#stopping.signal.aborted) {
      if ((await database.write("erasure:orders", erase)) === 0) return;
    }
  }
}
