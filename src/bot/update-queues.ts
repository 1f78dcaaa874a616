import type { Context } from "grammy";

/** Updates of one chat, and of one person, are handled one after the other; in a private chat they are the same. */
export function queuesOf(ctx: Context): string[] {
  const { chatId } = ctx;
  const userId = ctx.from?.id;
  if (chatId === userId) return chatId === undefined ? [] : [String(chatId)];
  return [chatId, userId].filter((id) => id !== undefined).map(String);
}
