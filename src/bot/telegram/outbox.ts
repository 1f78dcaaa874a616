import type { Api } from "grammy";
import type { InlineKeyboardMarkup } from "grammy/types";
import type { Generated, Selectable } from "kysely";
import type { Database } from "../../database/database.js";
import { table } from "../../database/table.js";
import type { Clock } from "../../platform/clock.js";
import type { Integer } from "../../platform/integer.js";
import type { Logger } from "../../platform/logger.js";
import { backOffMs } from "../../platform/retry.js";
import { HOUR_MS } from "../../platform/units.js";
import { pauseBeforeRetry, telegramFailure } from "./failure.js";
import { type ChatPlace, inTopicOrGroup, isInGroup } from "./place.js";

interface OutboxTable {
  id: Generated<number>;
  chat_id: number;
  thread_id: number | null;
  /** JSON of `KeptMessage`. */
  payload: string;
  created_at: Integer;
}
type OutboxRow = Selectable<OutboxTable>;

declare module "../../database/prepared.js" {
  interface Schema {
    outbox_message: OutboxTable;
  }
}

const rows = table("outbox_message");

const BACK_OFF = { firstMs: 1000, maxMs: 300_000 };
/** Milliseconds after which a message is dropped: older news confuse more than they tell. */
const GIVEN_UP_AFTER_MS = 24 * HOUR_MS;

interface OutboxMessage {
  /** The text as HTML. */
  text: string;
  keyboard?: InlineKeyboardMarkup | undefined;
}

/** A chat with the person whom what is said in it concerns. */
interface PersonPlace extends ChatPlace {
  userId: number;
}

interface KeptMessage extends OutboxMessage {
  /** Absent from messages of earlier releases. */
  userId?: number | undefined;
}

/**
 * Says what must be said. In a group that takes no message now it is said later, also across restarts. Where the group
 * never takes it, as the bot has left, its person hears it in private.
 */
export class Outbox {
  /** Chats whose kept messages are being sent, or wait for their time. */
  readonly #busy = new Set<number>();
  /** Rows of sent messages by chat: one is not sent again while its row cannot be deleted. */
  readonly #sentRows = new Map<number, number>();
  #isStopped = false;

  /** @param api retries failed calls, for a short time in groups */
  constructor(
    private readonly api: Api,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  start(): void {
    for (const { chat_id } of rows.all(this.database, {})) this.#sendAfter(chat_id, 0, 1);
  }

  stop(): void {
    this.#isStopped = true;
  }

  /** Resolves when the message is sent, or stored for a group that takes none now. Throws other faults. */
  async say(place: PersonPlace, message: OutboxMessage): Promise<void> {
    const { chatId } = place;
    if (!isInGroup(place)) return this.#sendTo(place, message);
    // Earlier messages come first.
    if (rows.get(this.database, { chat_id: chatId })) {
      await this.#keep(place, message);
      return this.#sendAfter(chatId, 0, 1);
    }
    try {
      await this.#send(place, message);
    } catch (error) {
      const pauseMs = pauseBeforeRetry(telegramFailure(error), 1, BACK_OFF);
      if (pauseMs === undefined) throw error;
      await this.#keep(place, message);
      this.#sendAfter(chatId, pauseMs, 1);
    }
  }

  async #keep({ chatId, threadId, userId }: PersonPlace, message: OutboxMessage): Promise<void> {
    const payload = JSON.stringify({ ...message, userId } satisfies KeptMessage);
    const row = { chat_id: chatId, thread_id: threadId, payload, created_at: this.clock.now() };
    await this.database.write("outbox", (tx) => rows.insert(tx, row));
    this.logger.info({ chat_id: chatId }, "message to a group is sent later");
  }

  /** Sends to a chat, or to the person where the group never takes the message. */
  async #send(place: ChatPlace & Pick<KeptMessage, "userId">, message: OutboxMessage): Promise<void> {
    const { userId } = place;
    try {
      await this.#sendTo(place, message);
    } catch (error) {
      const isForGood = pauseBeforeRetry(telegramFailure(error), 1, BACK_OFF) === undefined;
      if (!isForGood || userId === undefined) throw error;
      this.logger.info({ chat_id: place.chatId, user_id: userId, err: error }, "message goes to its person");
      await this.#sendTo({ chatId: userId, threadId: null }, message);
    }
  }

  async #sendTo({ chatId, threadId }: ChatPlace, { text, keyboard }: OutboxMessage): Promise<void> {
    const markup = keyboard && { reply_markup: keyboard };
    await inTopicOrGroup(threadId, (place) =>
      this.api.sendMessage(chatId, text, { ...place, parse_mode: "HTML", ...markup }),
    );
  }

  #sendAfter(chatId: number, pauseMs: number, attempt: number): void {
    if (this.#isStopped || this.#busy.has(chatId)) return;
    this.#busy.add(chatId);
    this.clock.after(pauseMs, () => void this.#sendKept(chatId, attempt));
  }

  /** Sends the messages of a chat in order, until the chat takes no more. Never rejects. */
  async #sendKept(chatId: number, attempt: number): Promise<void> {
    let tries = attempt;
    let pauseMs: number | undefined;
    try {
      for (let row = this.#next(chatId); row; row = this.#next(chatId)) {
        const { id } = row;
        if (this.#sentRows.get(chatId) !== id) pauseMs = await this.#pauseAfter(row, tries);
        if (pauseMs !== undefined) break;
        this.#sentRows.set(chatId, id);
        await this.database.write("outbox-done", (tx) => rows.delete(tx, { id }));
        this.#sentRows.delete(chatId);
        tries = 1;
      }
    } catch (error) {
      this.logger.warn({ chat_id: chatId, err: error }, "outbox stopped, trying again");
      pauseMs = backOffMs(tries, BACK_OFF);
    }
    this.#busy.delete(chatId);
    if (pauseMs !== undefined) this.#sendAfter(chatId, pauseMs, tries + 1);
  }

  #next(chatId: number): OutboxRow | undefined {
    if (this.#isStopped) return undefined;
    return rows.all(this.database, { chat_id: chatId }, { orderBy: ["id"], limit: 1 })[0];
  }

  /** Returns the pause before the next try, in ms; undefined for a message that is sent or can never be. */
  async #pauseAfter(row: OutboxRow, attempt: number): Promise<number | undefined> {
    const { chat_id: chatId, thread_id: threadId } = row;
    try {
      const { userId, ...message } = JSON.parse(row.payload) as KeptMessage;
      await this.#send({ chatId, threadId, userId }, message);
      return undefined;
    } catch (error) {
      const pauseMs = pauseBeforeRetry(telegramFailure(error), attempt, BACK_OFF);
      if (pauseMs !== undefined && this.clock.now() - row.created_at < GIVEN_UP_AFTER_MS) return pauseMs;
      this.logger.warn({ chat_id: chatId, err: error }, "message to a group given up");
      return undefined;
    }
  }
}
