import type { Context } from "grammy";

/** A place for messages: a chat, and its topic where it has them. */
export interface ChatPlace {
  chatId: number;
  threadId: number | null;
}

export function chatPlaceOf(ctx: Context): ChatPlace | undefined {
  const chatId = ctx.chatId;
  if (chatId === undefined) return undefined;
  const message = ctx.msg;
  const threadId = message?.is_topic_message ? (message.message_thread_id ?? null) : null;
  return { chatId, threadId };
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

export function inTopic({ threadId }: ChatPlace): { message_thread_id?: number } {
  return threadId === null ? {} : { message_thread_id: threadId };
}
