import { type Api, Composer, type Context, GrammyError } from "grammy";
import type { Message, MessageEntity } from "grammy/types";
import { recordAct } from "../../../accounts/audit-log.js";
import { BoundedMap } from "../../../platform/bounded-map.js";
import type { Logger } from "../../../platform/logger.js";
import { backOffMs, Recurring } from "../../../platform/retry.js";
import { SECOND_MS } from "../../../platform/units.js";
import type { BotGround, ManagedGround } from "../../bot-ground.js";
import type { Person } from "../../people/people.js";
import { isTopicGone, pauseBeforeRetry, telegramFailure, unreachable } from "../../telegram/failure.js";
import { hasContent, isCommand, SeenAlbums } from "../../telegram/message-content.js";
import {
  type ChatPlace,
  inTopic,
  inTopicOrGroup,
  isFromPerson,
  replyTo,
  topicOf,
} from "../../telegram/place.js";
import type { Language } from "../../texts/texts.js";
import {
  type Addressee,
  answers,
  askKeyboard,
  type Copy,
  copies,
  headerText,
  SupportStore,
  type SupportTicketRow,
  type SupportTopicRow,
  ticketKeyboard,
  topicName,
  topics,
} from "./support-store.js";

/** Brings messages of people to admins: into the person's topic, else into the chat of operators, else to each admin. */
class AdminChats {
  constructor(
    private readonly bot: BotGround,
    private readonly store: SupportStore,
  ) {}

  get language(): Language {
    return this.bot.operatorLanguage;
  }

  /** Returns the copies that admins have now. Throws Telegram's fault where none has: it is tried again. */
  async bring(ticket: SupportTicketRow, person: Person): Promise<Copy[]> {
    const { eventsChat, logger } = this.bot;
    if (!eventsChat) return this.#toEachAdmin(ticket, person);
    try {
      return await this.#toChat(ticket, person, eventsChat);
    } catch (error) {
      const failure = telegramFailure(error);
      if (failure.kind === "moved") {
        const { events } = this.bot;
        await events.keepChat({ ...events.chat(eventsChat.chatId), moved_to: failure.chatId });
        return this.#toChat(ticket, person, eventsChat);
      }
      if (isPassing(error)) throw error;
      logger.error({ chat_id: eventsChat.chatId, err: error }, "support chat not reached, admins are told");
      return this.#toEachAdmin(ticket, person);
    }
  }

  async #toChat(ticket: SupportTicketRow, person: Person, eventsChat: ChatPlace): Promise<Copy[]> {
    const chatId = operatorChatId(this.bot) ?? eventsChat.chatId;
    const known = topics.get(this.bot.database, { user_id: person.id, chat_id: chatId });
    const inKnown = known && (await this.#toTopic(ticket, known));
    if (inKnown) return [inKnown];
    if (known) await this.store.dropTopic(known);
    const made = await this.#makeTopic(person, ticket, chatId);
    const inMade = made && (await this.#toTopic(ticket, made));
    return inMade ? [inMade] : this.#underHeader(ticket, person, { ...eventsChat, chatId });
  }

  /** Copies into a topic, which is opened again where admins have closed it. Undefined where it is gone. */
  async #toTopic(ticket: SupportTicketRow, topic: SupportTopicRow): Promise<Copy | undefined> {
    if (topic.is_closed) await this.#reopen(topic);
    const copy = () =>
      this.#copy(ticket, topic.chat_id, topic.thread_id, this.language).catch((error: unknown) => {
        if (!isTopicGone(error)) throw error;
        return undefined;
      });
    return (await copy()) ?? ((await this.#reopen(topic)) ? copy() : undefined);
  }

  /** False where the topic is open, is gone, or the bot has no right to open it. */
  async #reopen(topic: SupportTopicRow): Promise<boolean> {
    const { plainApi: api } = this.bot;
    const isDone = await ifAllowed(api.reopenForumTopic(topic.chat_id, topic.thread_id));
    await this.store.setClosed(topic, false);
    return isDone !== undefined;
  }

  /** Undefined where the chat has no topics, or the bot may not make any. */
  async #makeTopic(
    person: Person,
    { kind }: SupportTicketRow,
    chat_id: number,
  ): Promise<SupportTopicRow | undefined> {
    const { plainApi: api, database, logger } = this.bot;
    const made = await ifAllowed(api.createForumTopic(chat_id, topicName(person)));
    if (!made) return undefined;
    const thread_id = made.message_thread_id;
    const topic: SupportTopicRow = { chat_id, thread_id, user_id: person.id, is_closed: 0 };
    await database.write("support-topic", (tx) => topics.insert(tx, topic));
    logger.info({ chat_id, thread_id, user_id: person.id }, "support topic made");
    const text = headerText(person, kind, "support-topic", this.language);
    await api.sendMessage(chat_id, text, { message_thread_id: thread_id, parse_mode: "HTML" });
    return topic;
  }

  async #underHeader(ticket: SupportTicketRow, person: Person, place: ChatPlace): Promise<Copy[]> {
    const { plainApi: api } = this.bot;
    const { chatId } = place;
    const text = headerText(person, ticket.kind, "support-chat", this.language);
    return inTopicOrGroup(place.threadId, async (topic) => {
      const headers = this.store.isRest(ticket)
        ? []
        : [headerCopy(await api.sendMessage(chatId, text, { ...topic, parse_mode: "HTML" }))];
      const copy = await this.#copy(ticket, chatId, topic.message_thread_id ?? null, this.language);
      return [...headers, { ...copy, thread_id: null }];
    });
  }

  /** Throws the fault where no admin was reached, or where none has the message and Telegram may take it later. */
  async #toEachAdmin(ticket: SupportTicketRow, person: Person): Promise<Copy[]> {
    const { plainApi: api, adminIds, languageOf, logger } = this.bot;
    const brought: Copy[] = [];
    let fault: unknown = new Error("there is no admin");
    let passing: unknown;
    let isBrought = false;
    for (const adminId of adminIds) {
      const language = languageOf(adminId);
      try {
        const text = headerText(person, ticket.kind, "support-chat", language);
        if (!this.store.isRest(ticket))
          brought.push(headerCopy(await api.sendMessage(adminId, text, { parse_mode: "HTML" })));
        brought.push(await this.#copy(ticket, adminId, null, language));
        isBrought = true;
      } catch (error) {
        fault = error;
        if (isPassing(error)) passing = error;
        logger.warn({ admin_id: adminId, err: error }, "admin not told of a message to support");
      }
    }
    if (!isBrought && passing) throw passing;
    if (brought.length === 0) throw fault;
    return brought;
  }

  /** Copies the message, with buttons under the first of an album. One that Telegram does not copy is told of in words. */
  async #copy(
    ticket: SupportTicketRow,
    chatId: number,
    threadId: number | null,
    language: Language,
  ): Promise<Copy> {
    const { plainApi: api } = this.bot;
    const { user_id, message_id, kind } = ticket;
    const buttons = !this.store.isRest(ticket) && { reply_markup: ticketKeyboard(user_id, kind, language) };
    const more = { ...inTopic({ threadId }), ...buttons };
    const copied = await api.copyMessage(chatId, user_id, message_id, more).catch((error: unknown) => {
      if (!(error instanceof GrammyError) || !UNCOPYABLE.test(error.description)) throw error;
      return api.sendMessage(chatId, language.t("support-uncopied"), more);
    });
    return { chat_id: chatId, message_id: copied.message_id, thread_id: threadId };
  }
}

/** Returns the chat of operators, by the id that it has now. */
function operatorChatId({ eventsChat, events }: BotGround): number | undefined {
  return eventsChat && (events.chat(eventsChat.chatId).moved_to ?? eventsChat.chatId);
}

function headerCopy({ chat, message_id }: { chat: { id: number }; message_id: number }): Copy {
  return { chat_id: chat.id, message_id, thread_id: null };
}

const UNCOPYABLE = /message to copy not found|can't be copied/i;

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
function supportDesk(bot: BotGround, store: SupportStore): Recurring {
  const chats = new AdminChats(bot, store);
  const { database, clock, logger } = bot;
  let failures = 0;
  let notBefore = Number.NEGATIVE_INFINITY;
  const bringNext = async () => {
    const ticket = store.waiting();
    if (!ticket) return false;
    const { user_id: id, message_id, kind } = ticket;
    const person = bot.people.find(id) ?? { id, name: String(id), username: null, locale: "" };
    await store.sent(ticket, await chats.bring(ticket, person));
    logger.info({ user_id: id, message_id, kind }, "message to support brought");
    return true;
  };
  return new Recurring({
    clock,
    everyMs: LOOK_MS,
    wokenBy: (wake) => database.watch(["support_ticket", "support_topic", "support_copy"], wake),
    async work(signal) {
      if (clock.monotonic() < notBefore) return;
      while (!signal.aborted && ((await bringNext()) || (await forgetNext(bot, store)))) failures = 0;
    },
    isIdle: () => !(store.waiting() || topics.get(database, FORGOTTEN) || copies.get(database, FORGOTTEN)),
    onFailure(error) {
      failures += 1;
      const pauseMs = pauseAfter(error, failures, logger);
      notBefore = clock.monotonic() + pauseMs;
      logger.warn({ err: error, pause_ms: pauseMs }, "message to support not brought, trying again");
    },
  });
}

/** What is about somebody who was forgotten. */
const FORGOTTEN = { user_id: null };

/** What Telegram refuses to delete, such as a message of two days ago, stays there. */
async function forgetNext(
  { plainApi: api, database, logger }: BotGround,
  store: SupportStore,
): Promise<boolean> {
  const deleted = (call: Promise<unknown>) =>
    call.catch((error: unknown) => {
      if (isPassing(error)) throw error;
      logger.warn({ err: error }, "what support had of a forgotten person stays at Telegram");
    });
  const topic = topics.get(database, FORGOTTEN);
  if (topic) {
    await deleted(api.deleteForumTopic(topic.chat_id, topic.thread_id));
    await store.dropTopic(topic);
    return true;
  }
  const copy = copies.get(database, FORGOTTEN);
  if (!copy) return false;
  const { chat_id, message_id } = copy;
  await deleted(api.deleteMessage(chat_id, message_id));
  await database.write("support-copy", (tx) => copies.delete(tx, { chat_id, message_id }));
  return true;
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
export function relayAnswers(bot: ManagedGround, support: Support, stopping: AbortSignal): Composer<Context> {
  const hinted = new BoundedMap<number, true>(HINTS_REMEMBERED);
  const albums = new SeenAlbums();
  const composer = new Composer();
  composer.on("message", async (ctx, next) => {
    const { message } = ctx;
    const addressee = addresseeOf(message, bot, support.store);
    if (!addressee || isCommand(message)) return next();
    if (!hasContent(message)) return noteTopic(message, support.store);
    if (isFromPerson(ctx) && bot.adminIds.has(message.from.id))
      return relay(ctx, message, addressee, { bot, support, stopping, isRest: !albums.isFirst(message) });
    const sender = message.sender_chat?.id ?? message.from.id;
    if (hinted.get(sender) || (message.from.is_bot && !message.sender_chat)) return;
    hinted.set(sender, true);
    const hint = message.sender_chat ? "support-anonymous" : "support-not-admin";
    await answerIn(ctx, message, bot.operatorLanguage.t(hint));
  });
  return composer;
}

/** Returns the person in whose topic something is written. Costs groups without topics nothing. */
export function topicOwner(
  { chat, is_topic_message, message_thread_id: thread_id }: Message,
  bot: BotGround,
): number | undefined {
  if (!is_topic_message || thread_id === undefined || chat.id !== operatorChatId(bot)) return undefined;
  return topics.get(bot.database, { chat_id: chat.id, thread_id })?.user_id ?? undefined;
}

/** Tells whom a message is for; undefined for all that is not said to a person of support. */
function addresseeOf(message: Message, bot: BotGround, store: SupportStore): Addressee | undefined {
  const { chat, reply_to_message: replied } = message;
  // No row is read for what people say in private.
  const isOfDesk = chat.type === "private" ? bot.adminIds.has(chat.id) : chat.id === operatorChatId(bot);
  if (!isOfDesk) return undefined;
  const ofReply = replied && store.addresseeOfReply({ chat_id: chat.id, message_id: replied.message_id });
  if (ofReply) return ofReply;
  const user_id = topicOwner(message, bot);
  return user_id === undefined ? undefined : { user_id, asked_id: null };
}

/** Remembers that admins closed a topic, so that the next message of its person opens it. */
async function noteTopic(message: Message, store: SupportStore): Promise<void> {
  const { chat, message_thread_id: thread_id, forum_topic_closed, forum_topic_reopened } = message;
  if (thread_id === undefined || !(forum_topic_closed || forum_topic_reopened)) return;
  await store.setClosed({ chat_id: chat.id, thread_id }, forum_topic_closed !== undefined);
}

/** Sends an answer once, and tells the admin whether it has arrived. Of an album only the first part is announced. */
async function relay(
  ctx: Context,
  message: Message,
  addressee: Addressee,
  {
    bot,
    support,
    stopping,
    isRest,
  }: { bot: ManagedGround; support: Support; stopping: AbortSignal; isRest: boolean },
): Promise<void> {
  const { accounts, database, languageOf, logger } = bot;
  const { store } = support;
  const { user_id: userId } = addressee;
  const admin = languageOf(message.from?.id ?? 0);
  const key = { chat_id: message.chat.id, message_id: message.message_id };
  const act = {
    actor: `telegram:${message.from?.id}`,
    act: "support_answer",
    accountId: accounts.users.find(userId) ?? null,
  };
  const isUnsent = await store.beginAnswer(key, userId, (tx, at) => recordAct(tx, { ...act, at }));
  if (!isUnsent) return;
  try {
    const sent_id = await sendAnswer(ctx.api, message, addressee, languageOf(userId), isRest);
    await database.write("support-answered", (tx) => answers.update(tx, key, { sent_id }));
  } catch (error) {
    // The update of a stop runs again.
    if (stopping.aborted) throw error;
    const isUnreachable = unreachable(error) !== undefined;
    logger.info({ user_id: userId, err: error }, "answer of support not delivered");
    await database.write("support-answer", (tx) => answers.delete(tx, key));
    return answerIn(ctx, message, admin.t(isUnreachable ? "support-blocked" : "support-refused"));
  }
  if (!isRest) await answerIn(ctx, message, admin.t("support-arrived"));
}

/** Sends an answer as one of support, and returns its message. Words are one message, where they fit. */
async function sendAnswer(
  api: Api,
  message: Message,
  { user_id: userId, asked_id: askedId }: Addressee,
  language: Language,
  isRest: boolean,
): Promise<number> {
  const { chat, message_id, text, entities = [] } = message;
  const heading = language.t("support-answer");
  const reply = replyTo(askedId);
  const keyboard = { reply_markup: askKeyboard("button-support-reply", "question", language) };
  const whole = `${heading}\n\n${text}`;
  if (text !== undefined && whole.length <= TEXT_MAX) {
    const by = whole.length - text.length;
    const moved = entities.map((entity) => ({ ...entity, offset: entity.offset + by }));
    const bold: MessageEntity = { type: "bold", offset: 0, length: heading.length };
    const sent = await api.sendMessage(userId, whole, { entities: [bold, ...moved], ...reply, ...keyboard });
    return sent.message_id;
  }
  if (!isRest) await api.sendMessage(userId, heading, reply);
  return (await api.copyMessage(userId, chat.id, message_id, keyboard)).message_id;
}

async function answerIn({ api }: Context, message: Message, text: string): Promise<void> {
  const { chat, message_id } = message;
  const place = inTopic({ threadId: topicOf(message) });
  await api.sendMessage(chat.id, text, { ...place, ...replyTo(message_id) });
}

/** What there is of support beside its feature. */
export type Support = ReturnType<typeof createSupport>;

export function createSupport(bot: BotGround) {
  const { database, clock, eventsChat, supportContact, adminIds } = bot;
  const store = new SupportStore(database, clock);
  return {
    store,
    desk: supportDesk(bot, store),
    /** Whether somebody gets what people write here: with a contact alone they are to write there. */
    isOpen: () => eventsChat !== undefined || (supportContact === undefined && [...adminIds].length > 0),
  };
}
