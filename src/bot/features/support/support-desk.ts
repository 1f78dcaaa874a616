import type { Api } from "grammy";
import type { CancelTimer, Clock } from "../../../platform/clock.js";
import type { Logger } from "../../../platform/logger.js";
import { backOffMs, repeat } from "../../../platform/retry.js";
import { SECOND_MS } from "../../../platform/units.js";
import { pauseBeforeRetry, telegramFailure } from "../../telegram/failure.js";
import type { AdminChats, AdminChatsParts } from "./admin-chats.js";

const LOOK_MS = 10 * SECOND_MS;
const BACK_OFF = { firstMs: SECOND_MS, maxMs: 600 * SECOND_MS };

export interface SupportDeskParts extends Pick<AdminChatsParts, "store" | "people" | "logger"> {
  /** Makes single tries. */
  api: Pick<Api, "deleteForumTopic" | "deleteMessage">;
  chats: AdminChats;
  clock: Clock;
}

/**
 * Brings what waits to admins, in order, and deletes what is about people who were forgotten. A crash repeats at most
 * the message that was being brought.
 */
export class SupportDesk {
  readonly #parts: SupportDeskParts;
  #cancel: CancelTimer = () => {};
  #working: Promise<void> | undefined;
  /** True where something came while the last look may have missed it. */
  #isWoken = false;
  #isStopped = true;
  #failures = 0;
  #notBefore = Number.NEGATIVE_INFINITY;

  constructor(parts: SupportDeskParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#isStopped = false;
    this.#cancel = repeat(this.#parts.clock, LOOK_MS, () => this.wake());
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    await this.#working;
  }

  /** Brings at once what was taken just now. */
  wake(): void {
    if (this.#isStopped || this.#parts.clock.monotonic() < this.#notBefore) return;
    this.#isWoken = true;
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
      if (this.#isWoken) this.wake();
    });
  }

  /** Never rejects. */
  async #work(): Promise<void> {
    const { clock, logger } = this.#parts;
    this.#isWoken = false;
    try {
      while (!this.#isStopped && ((await this.#bringNext()) || (await this.#forgetNext())))
        this.#failures = 0;
    } catch (error) {
      this.#failures += 1;
      const pauseMs = pauseAfter(error, this.#failures, logger);
      this.#notBefore = clock.monotonic() + pauseMs;
      logger.warn({ err: error, pause_ms: pauseMs }, "message to support not brought, trying again");
    }
  }

  async #bringNext(): Promise<boolean> {
    const { store, people, chats, logger } = this.#parts;
    const ticket = store.waiting();
    if (!ticket) return false;
    const { user_id: id, message_id } = ticket;
    const person = people.find(id) ?? { id, name: String(id), username: null, locale: "" };
    await store.sent(ticket, await chats.bring(ticket, person));
    logger.info({ user_id: id, message_id, kind: ticket.kind }, "message to support brought");
    return true;
  }

  /** What Telegram refuses to delete, such as a message of two days ago, stays there. */
  async #forgetNext(): Promise<boolean> {
    const { store, api } = this.#parts;
    const topic = store.forgottenTopic();
    if (topic) {
      await this.#deleted(api.deleteForumTopic(topic.chat_id, topic.thread_id));
      await store.dropTopic({ chatId: topic.chat_id, threadId: topic.thread_id });
      return true;
    }
    const copy = store.forgottenCopy();
    if (!copy) return false;
    await this.#deleted(api.deleteMessage(copy.chat_id, copy.message_id));
    await store.dropCopy(copy);
    return true;
  }

  async #deleted(call: Promise<unknown>): Promise<void> {
    try {
      await call;
    } catch (error) {
      const { kind } = telegramFailure(error);
      if (kind === "wait" || kind === "again") throw error;
      this.#parts.logger.warn({ err: error }, "what support had of a forgotten person stays at Telegram");
    }
  }
}

/** Returns the pause that Telegram asks for, else a back-off, in ms. */
function pauseAfter(error: unknown, attempt: number, logger: Logger): number {
  try {
    return pauseBeforeRetry(telegramFailure(error), attempt, BACK_OFF) ?? BACK_OFF.maxMs;
  } catch {
    logger.error({ err: error }, "support failed");
    return backOffMs(attempt, BACK_OFF);
  }
}
