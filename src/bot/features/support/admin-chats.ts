import { type Api, GrammyError } from "grammy";
import type { Logger } from "../../../platform/logger.js";
import type { Admins } from "../../../ports/admins.js";
import type { EventStore } from "../../notices/event-store.js";
import type { People, Person } from "../../people/people.js";
import { isTopicGone, telegramFailure } from "../../telegram/failure.js";
import { type ChatPlace, inTopic } from "../../telegram/place.js";
import { inTopicOrGroup } from "../../telegram/topic.js";
import type { Language, Texts } from "../../texts/texts.js";
import type { Copy, SupportStore, SupportTopic } from "./support-store.js";
import type { SupportTicketRow } from "./support-table.js";
import { ticketHeader, ticketKeyboard, topicName } from "./support-words.js";

export interface AdminChatsParts {
  /** Makes single tries. */
  api: Api;
  store: SupportStore;
  events: Pick<EventStore, "chat" | "keepChat">;
  eventsChat: ChatPlace | undefined;
  people: Pick<People, "find">;
  adminIds: Admins;
  texts: Texts;
  logger: Logger;
}

/** Brings messages of people to admins: into the person's topic, else into the chat of operators, else to each admin. */
export class AdminChats {
  readonly #parts: AdminChatsParts;
  #chatId: number | undefined;

  constructor(parts: AdminChatsParts) {
    this.#parts = parts;
    this.#readChatId();
  }

  /** The chat of operators as it was called last. */
  get chatId(): number | undefined {
    return this.#chatId;
  }

  #readChatId(): void {
    const { eventsChat, events } = this.#parts;
    this.#chatId = eventsChat && (events.chat(eventsChat.chatId).moved_to ?? eventsChat.chatId);
  }

  /** The language in which operators read what is for all of them. */
  get language(): Language {
    const { adminIds, people, texts } = this.#parts;
    const known = [...adminIds].map((id) => people.find(id)).find((person) => person !== undefined);
    return texts.in(known?.locale);
  }

  /** Returns the copies that admins have now. Throws Telegram's fault where none has: it is tried again. */
  async bring(ticket: SupportTicketRow, person: Person): Promise<Copy[]> {
    const { eventsChat, logger } = this.#parts;
    if (!eventsChat) return this.#toEachAdmin(ticket, person);
    this.#readChatId();
    try {
      return await this.#toChat(ticket, person, eventsChat);
    } catch (error) {
      const failure = telegramFailure(error);
      if (failure.kind === "moved") {
        await this.#follow(eventsChat, failure.chatId);
        return this.#toChat(ticket, person, eventsChat);
      }
      if (isPassing(error)) throw error;
      logger.error({ chat_id: eventsChat.chatId, err: error }, "support chat not reached, admins are told");
      return this.#toEachAdmin(ticket, person);
    }
  }

  async #follow({ chatId }: ChatPlace, movedTo: number): Promise<void> {
    const { events } = this.#parts;
    await events.keepChat({ ...events.chat(chatId), moved_to: movedTo });
    this.#readChatId();
  }

  async #toChat(ticket: SupportTicketRow, person: Person, eventsChat: ChatPlace): Promise<Copy[]> {
    const chatId = this.#chatId ?? eventsChat.chatId;
    const known = this.#parts.store.topicOf(person.id, chatId);
    const inKnown = known && (await this.#toTopic(ticket, known));
    if (inKnown) return [inKnown];
    if (known) await this.#parts.store.dropTopic(known);
    const made = await this.#makeTopic(person, ticket, chatId);
    const inMade = made && (await this.#toTopic(ticket, made));
    return inMade ? [inMade] : this.#underHeader(ticket, person, { ...eventsChat, chatId });
  }

  /** Copies into a topic, which is opened again where admins have closed it. Undefined where it is gone. */
  async #toTopic(ticket: SupportTicketRow, topic: SupportTopic): Promise<Copy | undefined> {
    if (topic.isClosed) await this.#reopen(topic);
    const copy = () => this.#copy(ticket, topic, topic.threadId, this.language);
    try {
      return await copy();
    } catch (error) {
      if (!isTopicGone(error)) throw error;
    }
    if (!(await this.#reopen(topic))) return undefined;
    try {
      return await copy();
    } catch (error) {
      if (isTopicGone(error)) return undefined;
      throw error;
    }
  }

  /** False where the topic is open, is gone, or the bot has no right to open it. */
  async #reopen(topic: SupportTopic): Promise<boolean> {
    const { api, store } = this.#parts;
    const isDone = await ifAllowed(api.reopenForumTopic(topic.chatId, topic.threadId));
    await store.setClosed({ ...topic, isClosed: false });
    return isDone !== undefined;
  }

  /** Undefined where the chat has no topics, or the bot may not make any. */
  async #makeTopic(
    person: Person,
    { kind }: SupportTicketRow,
    chatId: number,
  ): Promise<SupportTopic | undefined> {
    const { api, store, logger } = this.#parts;
    const made = await ifAllowed(api.createForumTopic(chatId, topicName(person)));
    if (!made) return undefined;
    const topic = { chatId, threadId: made.message_thread_id, isClosed: false };
    await store.keepTopic(person.id, topic);
    logger.info({ chat_id: chatId, thread_id: topic.threadId, user_id: person.id }, "support topic made");
    const text = `${ticketHeader(person, kind, this.language)}\n\n${this.language.t("support-topic")}`;
    await api.sendMessage(chatId, text, { message_thread_id: topic.threadId, parse_mode: "HTML" });
    return topic;
  }

  async #underHeader(ticket: SupportTicketRow, person: Person, place: ChatPlace): Promise<Copy[]> {
    const { api } = this.#parts;
    const { chatId } = place;
    const text = `${ticketHeader(person, ticket.kind, this.language)}\n\n${this.language.t("support-chat")}`;
    const header = await inTopicOrGroup(place.threadId, (topic) =>
      api.sendMessage(chatId, text, { ...topic, parse_mode: "HTML" }),
    );
    const isInTopic = header.is_topic_message === true;
    const threadId = isInTopic ? (header.message_thread_id ?? null) : null;
    const copy = await this.#copy(ticket, { chatId }, threadId, this.language);
    return [headerCopy(header), { ...copy, threadId: null }];
  }

  /** Throws the fault where no admin was reached, or where none has the message and Telegram may take it later. */
  async #toEachAdmin(ticket: SupportTicketRow, person: Person): Promise<Copy[]> {
    const { api, adminIds, people, texts, logger } = this.#parts;
    const copies: Copy[] = [];
    let fault: unknown = new Error("there is no admin");
    let passing: unknown;
    let isBrought = false;
    for (const adminId of adminIds) {
      const language = texts.in(people.find(adminId)?.locale);
      try {
        const text = `${ticketHeader(person, ticket.kind, language)}\n\n${language.t("support-chat")}`;
        copies.push(headerCopy(await api.sendMessage(adminId, text, { parse_mode: "HTML" })));
        copies.push(await this.#copy(ticket, { chatId: adminId }, null, language));
        isBrought = true;
      } catch (error) {
        fault = error;
        if (isPassing(error)) passing = error;
        logger.warn({ admin_id: adminId, err: error }, "admin not told of a message to support");
      }
    }
    if (!isBrought && passing) throw passing;
    if (copies.length === 0) throw fault;
    return copies;
  }

  /** Copies the message. One that Telegram does not copy, or that is gone, is told of in words. */
  async #copy(
    { user_id, message_id, kind }: SupportTicketRow,
    { chatId }: { chatId: number },
    threadId: number | null,
    language: Language,
  ): Promise<Copy> {
    const { api } = this.#parts;
    const more = { ...inTopic({ chatId, threadId }), reply_markup: ticketKeyboard(user_id, kind, language) };
    const place = { chatId, threadId };
    try {
      const copy = await api.copyMessage(chatId, user_id, message_id, more);
      return { ...place, messageId: copy.message_id };
    } catch (error) {
      if (!isUncopyable(error)) throw error;
      const told = await api.sendMessage(chatId, language.t("support-uncopied"), more);
      return { ...place, messageId: told.message_id };
    }
  }
}

function headerCopy({ chat, message_id }: { chat: { id: number }; message_id: number }): Copy {
  return { chatId: chat.id, messageId: message_id, threadId: null };
}

function isUncopyable(error: unknown): boolean {
  return error instanceof GrammyError && /message to copy not found|can't be copied/i.test(error.description);
}

/** Tells whether the same call may be taken later. */
function isPassing(error: unknown): boolean {
  const { kind } = telegramFailure(error);
  return kind === "wait" || kind === "again";
}

/** Resolves to undefined where Telegram refuses for good. Rejects with other faults. */
async function ifAllowed<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (telegramFailure(error).kind !== "refused") throw error;
    return undefined;
  }
}
