import { type Api, type Context, GrammyError, type MiddlewareFn } from "grammy";
import type { Message, MessageEntity } from "grammy/types";
import type { Admins } from "../../../accounts/admin-store.js";
import { BoundedMap } from "../../../platform/bounded-map.js";
import type { Logger } from "../../../platform/logger.js";
import { backOffMs, Recurring } from "../../../platform/retry.js";
import { SECOND_MS } from "../../../platform/units.js";
import type { ManagedAccounts } from "../../../service/accounts.js";
import type { BotGround } from "../../bot-ground.js";
import type { Person } from "../../people/people.js";
import { isTopicGone, pauseBeforeRetry, telegramFailure } from "../../telegram/failure.js";
import { hasContent, isCommand } from "../../telegram/message-content.js";
import { type ChatPlace, inTopic, inTopicOrGroup, isFromPerson } from "../../telegram/place.js";
import type { Language } from "../../texts/texts.js";
import {
  type Addressee,
  askKeyboard,
  type Copy,
  SupportStore,
  type SupportTicketRow,
  type SupportTopic,
  ticketHeader,
  ticketKeyboard,
  topicName,
} from "./support-store.js";

/** Brings messages of people to admins: into the person's topic, else into the chat of operators, else to each admin. */
class AdminChats {
  #chatId: number | undefined;

  constructor(
    private readonly bot: BotGround,
    private readonly store: SupportStore,
  ) {
    this.#readChatId();
  }

  /** The chat of operators as it was called last. */
  get chatId(): number | undefined {
    return this.#chatId;
  }

  #readChatId(): void {
    const { eventsChat, events } = this.bot;
    this.#chatId = eventsChat && (events.chat(eventsChat.chatId).moved_to ?? eventsChat.chatId);
  }

  /** The language in which operators read what is for all of them. */
  get language(): Language {
    const { adminIds, people, texts } = this.bot;
    const known = [...adminIds].map((id) => people.find(id)).find((person) => person !== undefined);
    return texts.in(known?.locale);
  }

  /** Returns the copies that admins have now. Throws Telegram's fault where none has: it is tried again. */
  async bring(ticket: SupportTicketRow, person: Person): Promise<Copy[]> {
    const { eventsChat, logger } = this.bot;
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
    const { events } = this.bot;
    await events.keepChat({ ...events.chat(chatId), moved_to: movedTo });
    this.#readChatId();
  }

  async #toChat(ticket: SupportTicketRow, person: Person, eventsChat: ChatPlace): Promise<Copy[]> {
    const chatId = this.#chatId ?? eventsChat.chatId;
    const known = this.store.topicOf(person.id, chatId);
    const inKnown = known && (await this.#toTopic(ticket, known));
    if (inKnown) return [inKnown];
    if (known) await this.store.dropTopic(known);
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
    const { plainApi: api } = this.bot;
    const isDone = await ifAllowed(api.reopenForumTopic(topic.chatId, topic.threadId));
    await this.store.setClosed({ ...topic, isClosed: false });
    return isDone !== undefined;
  }

  /** Undefined where the chat has no topics, or the bot may not make any. */
  async #makeTopic(
    person: Person,
    { kind }: SupportTicketRow,
    chatId: number,
  ): Promise<SupportTopic | undefined> {
    const { plainApi: api, logger } = this.bot;
    const made = await ifAllowed(api.createForumTopic(chatId, topicName(person)));
    if (!made) return undefined;
    const topic = { chatId, threadId: made.message_thread_id, isClosed: false };
    await this.store.keepTopic(person.id, topic);
    logger.info({ chat_id: chatId, thread_id: topic.threadId, user_id: person.id }, "support topic made");
    const text = `${ticketHeader(person, kind, this.language)}\n\n${this.language.t("support-topic")}`;
    await api.sendMessage(chatId, text, { message_thread_id: topic.threadId, parse_mode: "HTML" });
    return topic;
  }

  async #underHeader(ticket: SupportTicketRow, person: Person, place: ChatPlace): Promise<Copy[]> {
    const { plainApi: api } = this.bot;
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
    const { plainApi: api, adminIds, languageOf, logger } = this.bot;
    const copies: Copy[] = [];
    let fault: unknown = new Error("there is no admin");
    let passing: unknown;
    let isBrought = false;
    for (const adminId of adminIds) {
      const language = languageOf(adminId);
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
    const { plainApi: api } = this.bot;
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

const LOOK_MS = 10 * SECOND_MS;
const BACK_OFF = { firstMs: SECOND_MS, maxMs: 600 * SECOND_MS };

/**
 * Brings what waits to admins, in order, and deletes what is about people who were forgotten. A crash repeats at most
 * the message that was being brought.
 */
class SupportDesk {
  readonly #looks: Recurring;
  #failures = 0;
  #notBefore = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly bot: BotGround,
    private readonly store: SupportStore,
    private readonly chats: AdminChats,
  ) {
    const { clock, logger } = bot;
    this.#looks = new Recurring({
      clock,
      everyMs: LOOK_MS,
      wokenBy: (wake) => store.onChange(wake),
      work: (signal) => this.#look(signal),
      isIdle: () => !(store.waiting() || store.forgottenTopic() || store.forgottenCopy()),
      onFailure: (error) => {
        this.#failures += 1;
        const pauseMs = pauseAfter(error, this.#failures, logger);
        this.#notBefore = clock.monotonic() + pauseMs;
        logger.warn({ err: error, pause_ms: pauseMs }, "message to support not brought, trying again");
      },
    });
  }

  start(): void {
    this.#looks.start();
  }

  stop(): Promise<void> {
    return this.#looks.stop();
  }

  async #look(signal: AbortSignal): Promise<void> {
    if (this.bot.clock.monotonic() < this.#notBefore) return;
    while (!signal.aborted && ((await this.#bringNext()) || (await this.#forgetNext()))) this.#failures = 0;
  }

  async #bringNext(): Promise<boolean> {
    const { people, logger } = this.bot;
    const ticket = this.store.waiting();
    if (!ticket) return false;
    const { user_id: id, message_id } = ticket;
    const person = people.find(id) ?? { id, name: String(id), username: null, locale: "" };
    await this.store.sent(ticket, await this.chats.bring(ticket, person));
    logger.info({ user_id: id, message_id, kind: ticket.kind }, "message to support brought");
    return true;
  }

  /** What Telegram refuses to delete, such as a message of two days ago, stays there. */
  async #forgetNext(): Promise<boolean> {
    const { plainApi: api } = this.bot;
    const store = this.store;
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
      this.bot.logger.warn({ err: error }, "what support had of a forgotten person stays at Telegram");
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

/** Characters of a message of Telegram. */
const TEXT_MAX = 4096;
const HINTS_REMEMBERED = 1000;

/**
 * Passes what admins write to a person on to their chat: in the person's topic, and as a reply to what the bot copied.
 * Comes before every feature, since nothing else of such a message is for the bot.
 */
export function relayAnswers(bot: BotGround, support: Support, stopping: AbortSignal): MiddlewareFn<Context> {
  const hinted = new BoundedMap<number, true>(HINTS_REMEMBERED);
  return async (ctx, next) => {
    const { message } = ctx;
    const addressee = message && addresseeOf(message, bot.adminIds, support);
    if (!message || !addressee || isCommand(message)) return next();
    if (!hasContent(message)) return noteTopic(message, support.store);
    if (isFromPerson(ctx) && bot.adminIds.has(message.from.id))
      return relay(ctx, message, addressee, { bot, support, stopping });
    const sender = message.sender_chat?.id ?? message.from.id;
    if (hinted.get(sender) || (message.from.is_bot && !message.sender_chat)) return;
    hinted.set(sender, true);
    const hint = message.sender_chat ? "support-anonymous" : "support-not-admin";
    await answerIn(ctx, message, support.chats.language.t(hint));
  };
}

/** Recognises what is written in the topic of a person. Costs other groups nothing. */
export function isInSupportTopic(message: Message, support: Support): boolean {
  return topicOwner(message, support) !== undefined;
}

function topicOwner(
  { chat, is_topic_message, message_thread_id }: Message,
  { chats, store }: Support,
): number | undefined {
  if (!is_topic_message || message_thread_id === undefined || chat.id !== chats.chatId) return undefined;
  return store.ownerOfTopic(chat.id, message_thread_id);
}

/** Tells whom a message is for; undefined for all that is not said to a person of support. */
function addresseeOf(message: Message, adminIds: Admins, support: Support): Addressee | undefined {
  const { chat, reply_to_message: replied } = message;
  if (chat.id !== support.chats.chatId && !adminIds.has(chat.id)) return undefined;
  const ofReply =
    replied && support.store.addresseeOfReply({ chatId: chat.id, messageId: replied.message_id });
  if (ofReply) return ofReply;
  const userId = topicOwner(message, support);
  return userId === undefined ? undefined : { userId, askedId: null };
}

/** Remembers that admins closed a topic, so that the next message of its person opens it. */
async function noteTopic(message: Message, store: SupportStore): Promise<void> {
  const { chat, message_thread_id: threadId, forum_topic_closed, forum_topic_reopened } = message;
  if (threadId === undefined || !(forum_topic_closed || forum_topic_reopened)) return;
  await store.setClosed({ chatId: chat.id, threadId, isClosed: forum_topic_closed !== undefined });
}

/** Sends an answer once, and tells the admin whether it has arrived. */
async function relay(
  ctx: Context,
  message: Message,
  { userId, askedId }: Addressee,
  { bot, support, stopping }: { bot: BotGround; support: Support; stopping: AbortSignal },
): Promise<void> {
  const { languageOf, recordAct, logger } = bot;
  const { store } = support;
  const admin = languageOf(message.from?.id ?? 0);
  const key = { chatId: message.chat.id, messageId: message.message_id };
  const act = {
    actor: `telegram:${message.from?.id}`,
    act: "support_answer",
    accountId: support.accountIdOf(userId),
    ...{ subject: null, before: null, after: null, reason: null },
  };
  const isUnsent = await store.beginAnswer(key, userId, (tx, at) => recordAct(tx, { ...act, at }));
  if (!isUnsent) return;
  try {
    const to = { userId, askedId, language: languageOf(userId) };
    await store.answered(key, await sendAnswer(ctx.api, message, to));
  } catch (error) {
    // The update of a stop runs again.
    if (stopping.aborted) throw error;
    const { kind } = telegramFailure(error);
    logger.info({ user_id: userId, err: error }, "answer of support not delivered");
    await store.dropAnswer(key);
    const isBlocked = kind === "blocked" || kind === "no_chat";
    return answerIn(ctx, message, admin.t(isBlocked ? "support-blocked" : "support-refused"));
  }
  await answerIn(ctx, message, admin.t("support-arrived"));
}

/** Sends an answer as one of support, and returns its message. Words are one message, where they fit. */
async function sendAnswer(
  api: Api,
  message: Message,
  { userId, askedId, language }: Addressee & { language: Language },
): Promise<number> {
  const { chat, message_id, text, entities = [] } = message;
  const heading = language.t("support-answer");
  const reply = askedId !== null && {
    reply_parameters: { message_id: askedId, allow_sending_without_reply: true },
  };
  const keyboard = { reply_markup: askKeyboard("button-support-reply", "question", language) };
  const whole = `${heading}\n\n${text}`;
  if (text !== undefined && whole.length <= TEXT_MAX) {
    const moved = entities.map((entity) => shifted(entity, whole.length - text.length));
    const bold: MessageEntity = { type: "bold", offset: 0, length: heading.length };
    const sent = await api.sendMessage(userId, whole, { entities: [bold, ...moved], ...reply, ...keyboard });
    return sent.message_id;
  }
  await api.sendMessage(userId, heading, reply || {});
  return (await api.copyMessage(userId, chat.id, message_id, keyboard)).message_id;
}

function shifted(entity: MessageEntity, by: number): MessageEntity {
  return { ...entity, offset: entity.offset + by };
}

async function answerIn({ api }: Context, message: Message, text: string): Promise<void> {
  const { chat, message_id, message_thread_id: threadId, is_topic_message: isTopic } = message;
  await api.sendMessage(chat.id, text, {
    ...(isTopic && threadId !== undefined && { message_thread_id: threadId }),
    reply_parameters: { message_id, allow_sending_without_reply: true },
  });
}

/** What there is of support beside its feature. */
export interface Support {
  store: SupportStore;
  chats: AdminChats;
  desk: SupportDesk;
  /** Whether somebody gets what people write here: with a contact alone they are to write there. */
  isOpen(): boolean;
  accountIdOf(userId: number): number | null;
}

export function createSupport(bot: BotGround, { records }: ManagedAccounts): Support {
  const { database, clock, eventsChat, supportContact, adminIds } = bot;
  const store = new SupportStore(database, clock);
  const chats = new AdminChats(bot, store);
  return {
    store,
    chats,
    desk: new SupportDesk(bot, store, chats),
    isOpen: () => eventsChat !== undefined || (supportContact === undefined && [...adminIds].length > 0),
    accountIdOf: (userId) => records.of(userId)?.accountId ?? null,
  };
}
