import type { Database } from "../../../database/database.js";
import type { Transaction } from "../../../database/transaction.js";
import type { Clock } from "../../../platform/clock.js";
import { type Integer, integer } from "../../../platform/integer.js";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../platform/units.js";
import type { DataSection } from "../../../ports/personal-data.js";
import type { OwnData } from "../../own-data.js";
import * as table from "./support-table.js";

/** Messages to support that a person may send in any minute. An album counts once. */
export const TICKETS_PER_MINUTE = 5;
/** Messages that a person may send in any hour, each of an album: the chat of admins takes 20 a minute from everybody. */
export const MESSAGES_PER_HOUR = 60;
/** How long a reply of an admin, or to one, is understood. */
const KEPT_MS = 180 * DAY_MS;

export interface TicketMessage {
  userId: number;
  messageId: number;
  kind: table.TicketKind;
  album: string | undefined;
}

export interface ChatMessage {
  chatId: number;
  messageId: number;
}

export interface SupportTopic {
  chatId: number;
  threadId: number;
  isClosed: boolean;
}

/** Whom a message of an admin is for, and the message of theirs that it answers. */
export interface Addressee {
  userId: number;
  askedId: number | null;
}

/** Keeps what people ask support until admins have it, and whom a reply of an admin is for. */
export class SupportStore implements OwnData {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** Takes a message once, however often its update comes. False for one too many. */
  take({ userId, messageId, kind, album }: TicketMessage): Promise<boolean> {
    const now = this.#clock.now();
    const row = { user_id: userId, message_id: messageId, kind, album: album ?? null, created_at: now };
    return this.#database.write("support-ticket", (tx) => {
      if (tx.first(table.ticketOfMessage, row)) return true;
      const isOfAlbum = album !== undefined && tx.first(table.newestTicket, row)?.album === album;
      const countFrom = (ms: number) =>
        tx.first(table.countTickets, { user_id: userId, since: integer(now - ms) });
      if (!isOfAlbum && (countFrom(MINUTE_MS)?.tickets ?? 0) >= TICKETS_PER_MINUTE) return false;
      if ((countFrom(HOUR_MS)?.messages ?? 0) >= MESSAGES_PER_HOUR) return false;
      return tx.run(table.insertTicket, row) === 1;
    });
  }

  /** Returns the ticket of a message of the person. */
  ticket(userId: number, messageId: number): table.SupportTicketRow | undefined {
    return this.#database.first(table.ticketOfMessage, { user_id: userId, message_id: messageId });
  }

  /** Returns the ticket that the person sent last. */
  newest(userId: number): table.SupportTicketRow | undefined {
    return this.#database.first(table.newestTicket, { user_id: userId });
  }

  /** Returns the oldest ticket that no admin has yet. */
  waiting(): table.SupportTicketRow | undefined {
    return this.#database.first(table.firstWaiting, {});
  }

  async sent({ id, user_id, message_id }: table.SupportTicketRow, copies: readonly Copy[]): Promise<void> {
    const now = this.#clock.now();
    await this.#database.write("support-sent", (tx) => {
      const isKnown = tx.run(table.setTicketSent, { id, sent_at: now }) === 1;
      for (const copy of copies) tx.run(table.insertCopy, copyRow(copy, user_id, message_id, now));
      // The person was forgotten meanwhile.
      if (!isKnown) forgetPlaces(tx, { user_id });
    });
  }

  /** Makes a reply to a message of the bot go to a person. */
  async keepCopy(copy: Copy, { userId, askedId }: Addressee): Promise<void> {
    const row = copyRow(copy, userId, askedId, this.#clock.now());
    await this.#database.write("support-copy", (tx) => void tx.run(table.insertCopy, row));
  }

  /** Tells whom a reply to this message is for. */
  addresseeOfReply({ chatId, messageId }: ChatMessage): Addressee | undefined {
    const row = this.#database.first(table.copyAt, { chat_id: chatId, message_id: messageId });
    return row && row.user_id !== null ? { userId: row.user_id, askedId: row.asked_id } : undefined;
  }

  /** Returns the person whose topic this is. */
  ownerOfTopic(chatId: number, threadId: number): number | undefined {
    const row = this.#database.first(table.topicAt, { chat_id: chatId, thread_id: threadId });
    return row?.user_id ?? undefined;
  }

  topicOf(userId: number, chatId: number): SupportTopic | undefined {
    const row = this.#database.first(table.topicOf, { user_id: userId, chat_id: chatId });
    return row && { chatId, threadId: row.thread_id, isClosed: row.is_closed === 1 };
  }

  async keepTopic(userId: number, { chatId, threadId }: Omit<SupportTopic, "isClosed">): Promise<void> {
    const row = { chat_id: chatId, thread_id: threadId, user_id: userId };
    await this.#database.write("support-topic", (tx) => void tx.run(table.insertTopic, row));
  }

  async setClosed({ chatId, threadId, isClosed }: SupportTopic): Promise<void> {
    const row = { chat_id: chatId, thread_id: threadId, is_closed: isClosed ? (1 as const) : (0 as const) };
    await this.#database.write("support-topic", (tx) => void tx.run(table.setTopicClosed, row));
  }

  async dropTopic({ chatId, threadId }: Pick<SupportTopic, "chatId" | "threadId">): Promise<void> {
    const row = { chat_id: chatId, thread_id: threadId };
    await this.#database.write("support-topic", (tx) => void tx.run(table.deleteTopic, row));
  }

  /** Begins an answer. True where it may not have arrived: for a repeated update, until `answered`. */
  beginAnswer({ chatId, messageId }: ChatMessage, userId: number, onNew: OnNewAnswer): Promise<boolean> {
    const created_at = this.#clock.now();
    const row = { chat_id: chatId, message_id: messageId, user_id: userId, created_at };
    return this.#database.write("support-answer", (tx) => {
      if (tx.run(table.insertAnswer, row) === 1) onNew(tx, created_at);
      return tx.first(table.answerAt, row)?.sent_id === null;
    });
  }

  async answered({ chatId, messageId }: ChatMessage, sentId: number): Promise<void> {
    const row = { chat_id: chatId, message_id: messageId, sent_id: sentId };
    await this.#database.write("support-answered", (tx) => void tx.run(table.setAnswerSent, row));
  }

  async dropAnswer({ chatId, messageId }: ChatMessage): Promise<void> {
    const row = { chat_id: chatId, message_id: messageId };
    await this.#database.write("support-answer", (tx) => void tx.run(table.deleteAnswer, row));
  }

  /** Tells whether a message in the person's chat is an answer of support. */
  isAnswer(userId: number, sentId: number): boolean {
    return this.#database.first(table.answerSentAs, { user_id: userId, sent_id: sentId }) !== undefined;
  }

  /** Returns a topic of somebody who was forgotten. */
  forgottenTopic(): table.SupportTopicRow | undefined {
    return this.#database.first(table.firstForgottenTopic, {});
  }

  /** Returns a message about somebody who was forgotten. */
  forgottenCopy(): table.SupportCopyRow | undefined {
    return this.#database.first(table.firstForgottenCopy, {});
  }

  async dropCopy({ chat_id, message_id }: table.SupportCopyRow): Promise<void> {
    await this.#database.write(
      "support-copy",
      (tx) => void tx.run(table.deleteCopy, { chat_id, message_id }),
    );
  }

  sections(userId: number): DataSection[] {
    const of = { user_id: userId };
    const iso = (at: number) => new Date(at).toISOString();
    const asked = this.#database.all(table.ticketsOf, of).map(({ created_at, kind, message_id }) => ({
      at: iso(created_at),
      kind,
      message_id,
    }));
    const answers = this.#database.all(table.answersOf, of).map(({ created_at, sent_id }) => ({
      at: iso(created_at),
      message_id: sent_id,
    }));
    return [
      { name: "support_questions", rows: asked },
      { name: "support_answers", rows: answers },
    ];
  }

  /** Leaves the topic and the copies elsewhere to be deleted at Telegram. */
  eraseIn(tx: Transaction, userId: number): void {
    const of = { user_id: userId };
    tx.run(table.deleteTicketsOf, of);
    tx.run(table.deleteAnswersOf, of);
    forgetPlaces(tx, of);
  }

  async sweep(now: Integer): Promise<void> {
    const before = integer(now - KEPT_MS);
    await this.#database.write("support-sweep", (tx) => {
      tx.run(table.deleteOldTickets, { before });
      tx.run(table.deleteOldCopies, { before });
      tx.run(table.deleteOldAnswers, { before });
    });
  }
}

/** A message of the bot to admins. `threadId`: the person's topic that it stands in. */
export interface Copy extends ChatMessage {
  threadId: number | null;
}

/** Called in the transaction that begins an answer. */
export type OnNewAnswer = (tx: Transaction, at: Integer) => void;

/** Leaves the topic of a person and the copies elsewhere to be deleted. */
function forgetPlaces(tx: Transaction, of: { user_id: number }): void {
  tx.run(table.deleteTopicCopies, of);
  tx.run(table.forgetCopies, of);
  tx.run(table.forgetTopics, of);
}

function copyRow(copy: Copy, userId: number, askedId: number | null, at: Integer): table.SupportCopyRow {
  return {
    chat_id: copy.chatId,
    message_id: copy.messageId,
    thread_id: copy.threadId,
    user_id: userId,
    asked_id: askedId,
    created_at: at,
  };
}
