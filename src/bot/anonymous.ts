import type { Context } from "grammy";
import type { Texts } from "./texts.js";

const COMMAND = /^\/\w+(?:@(\w+))?/;

/**
 * Answers a command of a group's admin who writes in the name of the group: the bot cannot see whose balance it
 * would be. Says nothing to anything else that comes from no person.
 */
export async function answerAnonymous(ctx: Context, texts: Texts): Promise<void> {
  const { message } = ctx;
  // Only anonymous admins write on behalf of the group itself (core.telegram.org/bots/api#message).
  if (!message || !ctx.from?.is_bot || message.sender_chat?.id !== message.chat.id) return;
  const command = COMMAND.exec(message.text ?? "");
  const addressee = command?.[1]?.toLowerCase();
  if (!command || (addressee !== undefined && addressee !== ctx.me.username.toLowerCase())) return;
  await ctx.reply(texts.in(undefined).t("anonymous-admin"), {
    reply_parameters: { message_id: message.message_id, allow_sending_without_reply: true },
  });
}
