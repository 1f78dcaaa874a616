import type { Api, Context, MiddlewareFn } from "grammy";
import type { Message, MessageEntity } from "grammy/types";
import { BoundedMap } from "../../../platform/bounded-map.js";
import type { Logger } from "../../../platform/logger.js";
import type { Admins } from "../../../ports/admins.js";
import type { People } from "../../people/people.js";
import type { RecordAct } from "../../record-act.js";
import { telegramFailure } from "../../telegram/failure.js";
import { hasContent, isCommand } from "../../telegram/message-content.js";
import { isFromPerson } from "../../telegram/place.js";
import type { Language, Texts } from "../../texts/texts.js";
import type { AdminChats } from "./admin-chats.js";
import type { Addressee, SupportStore } from "./support-store.js";
import { askKeyboard } from "./support-words.js";

/** Characters of a message of Telegram. */
const TEXT_MAX = 4096;
const HINTS_REMEMBERED = 1000;

export interface RelayParts {
  store: SupportStore;
  chats: AdminChats;
  adminIds: Admins;
  people: Pick<People, "find">;
  accountIdOf: (userId: number) => number | null;
  recordAct: RecordAct;
  texts: Texts;
  logger: Logger;
  /** Aborts when the service begins to stop. */
  stopping: AbortSignal;
}

/**
 * Passes what admins write to a person on to their chat: in the person's topic, and as a reply to what the bot copied.
 * Comes before every feature, since nothing else of such a message is for the bot.
 */
export function relayAnswers(parts: RelayParts): MiddlewareFn<Context> {
  const hinted = new BoundedMap<number, true>(HINTS_REMEMBERED);
  return async (ctx, next) => {
    const { message } = ctx;
    const addressee = message && addresseeOf(message, parts);
    if (!message || !addressee || isCommand(message)) return next();
    if (!hasContent(message)) return noteTopic(message, parts);
    if (isFromPerson(ctx) && parts.adminIds.has(message.from.id))
      return relay(ctx, message, addressee, parts);
    const sender = message.sender_chat?.id ?? message.from.id;
    if (hinted.get(sender) || (message.from.is_bot && !message.sender_chat)) return;
    hinted.set(sender, true);
    const hint = message.sender_chat ? "support-anonymous" : "support-not-admin";
    await answerIn(ctx, message, parts.chats.language.t(hint));
  };
}

/** Recognises what is written in the topic of a person. Costs other groups nothing. */
export function isInSupportTopic(
  message: Message,
  { chats, store }: Pick<RelayParts, "chats" | "store">,
): boolean {
  return topicOwner(message, { chats, store }) !== undefined;
}

function topicOwner(
  { chat, is_topic_message, message_thread_id }: Message,
  { chats, store }: Pick<RelayParts, "chats" | "store">,
): number | undefined {
  if (!is_topic_message || message_thread_id === undefined || chat.id !== chats.chatId) return undefined;
  return store.ownerOfTopic(chat.id, message_thread_id);
}

/** Tells whom a message is for; undefined for all that is not said to a person of support. */
function addresseeOf(message: Message, parts: RelayParts): Addressee | undefined {
  const { chat, reply_to_message: replied } = message;
  if (chat.id !== parts.chats.chatId && !parts.adminIds.has(chat.id)) return undefined;
  const ofReply = replied && parts.store.addresseeOfReply({ chatId: chat.id, messageId: replied.message_id });
  if (ofReply) return ofReply;
  const userId = topicOwner(message, parts);
  return userId === undefined ? undefined : { userId, askedId: null };
}

/** Remembers that admins closed a topic, so that the next message of its person opens it. */
async function noteTopic(message: Message, { store }: RelayParts): Promise<void> {
  const { chat, message_thread_id: threadId, forum_topic_closed, forum_topic_reopened } = message;
  if (threadId === undefined || !(forum_topic_closed || forum_topic_reopened)) return;
  await store.setClosed({ chatId: chat.id, threadId, isClosed: forum_topic_closed !== undefined });
}

/** Sends an answer once, and tells the admin whether it has arrived. */
async function relay(
  ctx: Context,
  message: Message,
  { userId, askedId }: Addressee,
  parts: RelayParts,
): Promise<void> {
  const { store, people, texts, logger } = parts;
  const admin = texts.in(people.find(message.from?.id ?? 0)?.locale);
  const key = { chatId: message.chat.id, messageId: message.message_id };
  const act = {
    actor: `telegram:${message.from?.id}`,
    act: "support_answer",
    accountId: parts.accountIdOf(userId),
    ...{ subject: null, before: null, after: null, reason: null },
  };
  const isUnsent = await store.beginAnswer(key, userId, (tx, at) => parts.recordAct(tx, { ...act, at }));
  if (!isUnsent) return;
  try {
    const to = { userId, askedId, language: texts.in(people.find(userId)?.locale) };
    await store.answered(key, await sendAnswer(ctx.api, message, to));
  } catch (error) {
    // The update of a stop runs again.
    if (parts.stopping.aborted) throw error;
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
