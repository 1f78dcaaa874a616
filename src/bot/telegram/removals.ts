import type { Api } from "grammy";
import type { Database } from "../../database/database.js";
import { table } from "../../database/table.js";
import { type Clock, leftMs } from "../../platform/clock.js";
import { type Integer, integer } from "../../platform/integer.js";
import type { Logger } from "../../platform/logger.js";
import { backOffMs } from "../../platform/retry.js";
import { pauseBeforeRetry, telegramFailure } from "./failure.js";

interface Removal {
  chat_id: number;
  message_id: number;
  /** Milliseconds since the epoch. */
  remove_at: Integer;
}

declare module "../../database/prepared.js" {
  interface Schema {
    removal: Removal;
  }
}

const rows = table("removal");

const BACK_OFF = { firstMs: 1000, maxMs: 300_000 };
/** Milliseconds for which Telegram lets a bot delete a message: 48 hours. */
const GIVEN_UP_AFTER_MS = 48 * 3600 * 1000;
const SHOWN_MAX_MS = 600 * 1000;

/** Deletes messages that contain a secret after a delay, also across restarts. */
export class Removals {
  #isStopped = false;

  /** @param api makes single tries: a failed removal is rescheduled */
  constructor(
    private readonly api: Api,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  start(): void {
    for (const row of rows.all(this.database, {}, { orderBy: ["remove_at"] })) this.#time(row);
  }

  stop(): void {
    this.#isStopped = true;
  }

  /** Resolves after the commit. The message is then removed even after a crash. */
  async schedule(chatId: number, messageId: number, afterMs: number): Promise<void> {
    const removal = {
      chat_id: chatId,
      message_id: messageId,
      remove_at: integer(this.clock.now() + afterMs),
    };
    await this.database.write("removal", (tx) => rows.insertOnce(tx, removal));
    this.#time(removal);
  }

  async now(chatId: number, messageId: number): Promise<void> {
    await this.#remove({ chat_id: chatId, message_id: messageId, remove_at: this.clock.now() }, 1);
  }

  #time(
    removal: Removal,
    attempt = 1,
    delayMs = leftMs(removal.remove_at, this.clock.now(), SHOWN_MAX_MS),
  ): void {
    if (this.#isStopped) return;
    this.clock.after(Math.max(0, delayMs), () => {
      if (!this.#isStopped) void this.#remove(removal, attempt);
    });
  }

  /** Never rejects. */
  async #remove(removal: Removal, attempt: number): Promise<void> {
    const { chat_id, message_id, remove_at } = removal;
    try {
      // Undefined when the message is gone or cannot be deleted.
      const waitMs = await this.api.deleteMessage(chat_id, message_id).then(
        () => undefined,
        (error: unknown) => pauseBeforeRetry(telegramFailure(error), attempt, BACK_OFF),
      );
      if (waitMs !== undefined && this.clock.now() - remove_at < GIVEN_UP_AFTER_MS) {
        return this.#time(removal, attempt + 1, waitMs);
      }
      await this.database.write("removal-done", (tx) => rows.delete(tx, { chat_id, message_id }));
    } catch (error) {
      this.logger.warn({ chat_id, message_id, err: error }, "message not removed, trying again");
      this.#time(removal, attempt + 1, backOffMs(attempt, BACK_OFF));
    }
  }
}
