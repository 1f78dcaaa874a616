import type { Update } from "grammy/types";
import { type Clock, sleep } from "../../platform/clock.js";
import type { Logger } from "../../platform/logger.js";
import { backOffMs } from "../../platform/retry.js";
import { originOf, queuesOf, senderOf } from "../update-queues.js";
import type { Inbox } from "./inbox.js";
import { UnderWay } from "./under-way.js";

const UNDER_WAY = { slowMs: 250, mostWaiting: 5000, mostOfOne: 100 };
const BACK_OFF = { firstMs: 300, maxMs: 15_000 };
const FINISH_TRIES = 20;
/** How long handlers that are under way get at the end, in ms. */
const DRAIN_MS = 5000;

interface HandlingParts {
  /** Passes an update through the bot, to its end. */
  pass: (update: Update) => Promise<void>;
  inbox: Inbox;
  clock: Clock;
  logger: Logger;
  /** Aborts when the service begins to stop: calls that wait out a fault end then. */
  stopping: AbortSignal;
}

/** Brings each update that the runner hands on to its end, and its row in the inbox with it. */
export class Handling {
  readonly #parts: HandlingParts;
  readonly #underWay: UnderWay;
  /** Ids that were begun and are not to be marked as handled yet. */
  readonly #open = new Set<number>();
  /** What ends from now on may have been cut off without noticing it. */
  #isOver = false;

  constructor(parts: HandlingParts) {
    this.#parts = parts;
    this.#underWay = new UnderWay(parts.clock, UNDER_WAY);
  }

  /** Resolves when the update has been handled, or keeps no other from beginning. Never rejects. */
  consume(update: Update): Promise<void> {
    const origin = originOf(update);
    if (!this.#underWay.isFull(senderOf(origin)))
      return this.#underWay.add(queuesOf(origin), this.#handle(update));
    const ids = { update_id: update.update_id, chat_id: origin.chatId, user_id: origin.from?.id };
    this.#parts.logger.warn(ids, "update dropped: its sender floods the bot");
    return this.#finish(update.update_id);
  }

  /** Gives handlers that are under way some seconds to end. What is cut off runs again, however often. */
  async drain(): Promise<void> {
    const { inbox, logger } = this.#parts;
    await this.#underWay.ended(DRAIN_MS);
    this.#isOver = true;
    const updates = this.#underWay.size;
    if (updates > 0) logger.warn({ updates }, "stopped with updates under way: they run again");
    if (this.#open.size === 0) return;
    await inbox
      .putBack([...this.#open])
      .catch((error: unknown) => logger.error({ err: error }, "tries of updates cut off not taken back"));
  }

  /** One whose handler fails is handled too: only one that the end of the service cuts off runs again. */
  async #handle(update: Update): Promise<void> {
    const { pass, logger, stopping } = this.#parts;
    const { update_id } = update;
    const started = performance.now();
    this.#open.add(update_id);
    try {
      await pass(update);
      logger.debug({ update_id, ms: Math.round(performance.now() - started) }, "update handled");
    } catch (error) {
      if (stopping.aborted) return logger.info({ update_id, err: error }, "update cut off: it runs again");
      logger.error({ update_id, err: error }, "update failed");
    }
    if (this.#isOver) return;
    this.#open.delete(update_id);
    // Its commit follows soon. A crash before it runs the update once more, which every handler bears.
    void this.#finish(update_id);
  }

  #finish(update_id: number): Promise<void> {
    return this.#parts.inbox.finish(update_id).catch((error: unknown) => this.#finishAgain(update_id, error));
  }

  /** Tries until the row is written: an update that stays open would run again at the next start. */
  async #finishAgain(update_id: number, firstFault: unknown): Promise<void> {
    const { inbox, clock, logger } = this.#parts;
    let err = firstFault;
    for (let attempt = 1; ; attempt += 1) {
      logger.error({ update_id, attempt, err }, "update not finished");
      if (attempt === FINISH_TRIES) return;
      await sleep(clock, backOffMs(attempt, BACK_OFF));
      try {
        return await inbox.finish(update_id);
      } catch (error) {
        err = error;
      }
    }
  }
}
