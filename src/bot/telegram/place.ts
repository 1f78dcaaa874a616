import type { Context, Filter, NextFunction } from "grammy";
import type { Message, Update, UserFromGetMe } from "grammy/types";
import { isTopicGone } from "./failure.js";
import { hasContent } from "./message-content.js";

/** A place for messages: a chat, and its topic where it has them. */
export interface ChatPlace {
  chatId: number;
  threadId: number | null;
}

export function chatPlaceOf({ chatId, msg }: Context): ChatPlace | undefined {
  return chatId === undefined ? undefined : { chatId, threadId: topicOf(msg) };
}

/** Returns the topic that a message stands in. Other threads, such as those of replies, are none. */
export function topicOf(message: Message | undefined): number | null {
  return (message?.is_topic_message && message.message_thread_id) || null;
}

/** Returns false for channels and anonymous admins. Not each placeholder is marked as a bot (777000). */
export function isFromPerson(ctx: Context): boolean {
  const { from, chatId, message, editedMessage } = ctx;
  if (!from || from.is_bot || chatId === undefined) return false;
  return (message ?? editedMessage)?.sender_chat === undefined;
}

export function isPrivate(ctx: Context): boolean {
  return ctx.chat?.type === "private";
}

/** Recognises Telegram's ids of groups, which are negative. */
export function isInGroup({ chatId }: Pick<ChatPlace, "chatId">): boolean {
  return chatId < 0;
}

export function inTopic({ threadId }: Pick<ChatPlace, "threadId">): { message_thread_id?: number } {
  return threadId === null ? {} : { message_thread_id: threadId };
}

/** Makes what is sent a reply, where there is a message to reply to. */
export function replyTo(message_id: number | null | undefined) {
  return message_id == null ? {} : { reply_parameters: { message_id, allow_sending_without_reply: true } };
}

/** Sends to a topic, or to the group itself when the topic is deleted or closed. */
export async function inTopicOrGroup<T>(
  threadId: number | null,
  send: (place: { message_thread_id?: number }) => Promise<T>,
): Promise<T> {
  if (threadId === null) return send({});
  try {
    return await send({ message_thread_id: threadId });
  } catch (error) {
    if (!isTopicGone(error)) throw error;
    return send({});
  }
}

/** Removes the mention of the bot; undefined when the text does not mention it. */
export function withoutMention(words: string, username: string): string | undefined {
  const mention = new RegExp(`(^|\\s)@${username}\\b[,:]?`, "i");
  return mention.test(words) ? words.replace(mention, " ").trim() : undefined;
}

/** Returns words of a message without the mention of the bot, which a group may have. */
export function withoutBotName(ctx: Context, words: string): string {
  return isPrivate(ctx) ? words : (withoutMention(words, ctx.me.username) ?? words);
}

/**
 * Removes the bot's own name from both ends of texts and captions in private chats, where people write it out of
 * habit: it is no part of a description.
 */
export async function dropOwnMention(ctx: Context, next: NextFunction): Promise<void> {
  const message = ctx.message ?? ctx.editedMessage;
  if (message && isPrivate(ctx)) {
    for (const part of ["text", "caption"] as const) {
      const words = message[part];
      if (words === undefined) continue;
      const [command = ""] = /^\/\w+(?:@\w+)?\s+/.exec(words) ?? [];
      const own = command + withoutOuterMention(words.slice(command.length), ctx.me.username);
      if (own === words) continue;
      const [name] = /^\/\w+(?:@\w+)?/.exec(own) ?? [];
      // The rest of the bot knows a command by its entity.
      const entities = name === undefined ? [] : [{ type: "bot_command", offset: 0, length: name.length }];
      const marks = part === "text" ? "entities" : "caption_entities";
      Object.assign(message, { [part]: own, [marks]: entities });
    }
  }
  await next();
}

function withoutOuterMention(words: string, username: string): string {
  const name = `@${username}`;
  const outer = new RegExp(`^\\s*(?:${name}(?!\\w)[,:]?\\s*)+|(?:(?<!\\S)${name}\\s*)+$`, "gi");
  const rest = words.replace(outer, "");
  return rest === words ? words : rest.trim();
}

export function asCommand(ctx: Filter<Context, "message:text">, name: string, text = ""): void {
  const command = ctx.chat.type === "private" ? `/${name}` : `/${name}@${ctx.me.username}`;
  ctx.message.text = text === "" ? command : `${command} ${text}`;
  ctx.message.entities = [{ type: "bot_command", offset: 0, length: command.length }];
}

/** Tells whether a message of a group speaks to the bot: a command, a mention, or a reply to one of its messages. */
export function isForBot(message: Message, me: Pick<UserFromGetMe, "id" | "username">): boolean {
  if (!hasContent(message)) return false;
  const words = message.text ?? message.caption ?? "";
  if (words.startsWith("/")) {
    const [, addressee] = /^\/[^\s@]*@(\w+)/.exec(words) ?? [];
    return addressee === undefined || addressee.toLowerCase() === me.username.toLowerCase();
  }
  return message.reply_to_message?.from?.id === me.id || withoutMention(words, me.username) !== undefined;
}

export interface UpdateOrigin {
  chatId: number | undefined;
  /** The sender, also a placeholder account for channels and anonymous admins. */
  from: { id: number; is_bot: boolean; language_code?: string } | undefined;
}

export function originOf(update: Update): UpdateOrigin {
  const { message, edited_message, callback_query, my_chat_member } = update;
  const part = message ?? edited_message ?? my_chat_member;
  if (part) return { chatId: part.chat.id, from: part.from };
  return { chatId: callback_query?.message?.chat.id, from: callback_query?.from };
}

/**
 * Returns the queues of an update. Updates of one chat are handled in order. A group that Telegram slows down delays
 * nothing elsewhere: what a person does in two chats at once is kept apart by the revisions of drafts and the claims of
 * orders.
 */
export function queuesOf({ chatId, from }: Pick<Context, "chatId" | "from"> | UpdateOrigin): string[] {
  const id = chatId ?? from?.id;
  return id === undefined ? [] : [String(id)];
}

/** Returns the queue whose flood limit counts: in a group each person has their own. */
export function senderOf({ chatId, from }: UpdateOrigin): string {
  const userId = from && !from.is_bot ? from.id : undefined;
  if (userId === undefined || userId === chatId) return String(chatId ?? "");
  return chatId === undefined ? String(userId) : `${chatId}:${userId}`;
}
