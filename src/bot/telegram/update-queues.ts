import type { Context } from "grammy";
import type { Update } from "grammy/types";

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
