import type { Context } from "grammy";
import type { Update } from "grammy/types";

export interface Origin {
  chatId: number | undefined;
  /** Also a placeholder account for channels and anonymous admins. */
  from: { id: number; is_bot: boolean; language_code?: string } | undefined;
}

export function originOf(update: Update): Origin {
  const { message, edited_message, callback_query, my_chat_member } = update;
  const part = message ?? edited_message ?? my_chat_member;
  if (part) return { chatId: part.chat.id, from: part.from };
  return { chatId: callback_query?.message?.chat.id, from: callback_query?.from };
}

/** Updates of one chat, and of one person, are handled in order. In a private chat both are one queue. */
export function queuesOf({ chatId, from }: Pick<Context, "chatId" | "from"> | Origin): string[] {
  const userId = from?.id;
  if (chatId === userId) return chatId === undefined ? [] : [String(chatId)];
  return [chatId, userId].filter((id) => id !== undefined).map(String);
}

/** The queue whose flood limit counts: in a group each person has their own. */
export function senderOf({ chatId, from }: Origin): string {
  return String(from && !from.is_bot ? from.id : (chatId ?? ""));
}
