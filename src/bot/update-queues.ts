import type { Context } from "grammy";
import type { Update } from "grammy/types";

/** Where an update comes from. */
export interface Origin {
  chatId: number | undefined;
  /** Its person; also one of the bots that Telegram puts in the place of channels and anonymous admins. */
  from: { id: number; is_bot: boolean } | undefined;
}

export function originOf(update: Update): Origin {
  const { message, edited_message, callback_query, my_chat_member } = update;
  const part = message ?? edited_message ?? my_chat_member;
  if (part) return { chatId: part.chat.id, from: part.from };
  return { chatId: callback_query?.message?.chat.id, from: callback_query?.from };
}

/** Updates of one chat, and of one person, are handled one after the other; in a private chat they are the same. */
export function queuesOf({ chatId, from }: Pick<Context, "chatId" | "from"> | Origin): string[] {
  const userId = from?.id;
  if (chatId === userId) return chatId === undefined ? [] : [String(chatId)];
  return [chatId, userId].filter((id) => id !== undefined).map(String);
}

/** The one of these queues that a flood is counted in: in a group nobody takes the room of the others. */
export function senderOf({ chatId, from }: Origin): string {
  return String(from && !from.is_bot ? from.id : (chatId ?? ""));
}
