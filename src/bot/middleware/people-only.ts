import type { Context, MiddlewareFn } from "grammy";
import { isFromPerson } from "../telegram/place.js";
import type { Texts } from "../texts/texts.js";

const COMMAND = /^\/\w+(?:@(\w+))?/;

/** Ends updates that no person sent, such as channel posts: there is no account to charge. */
export function peopleOnly(texts: Texts): MiddlewareFn<Context> {
  return (ctx, next) => (isFromPerson(ctx) ? next() : answerAnonymousAdmin(ctx, texts));
}

/** Answers a command of an anonymous group admin, whose account is unknown. Ignores other senders. */
async function answerAnonymousAdmin(ctx: Context, texts: Texts): Promise<void> {
  const { message } = ctx;
  // Anonymous admins send on behalf of the group itself (core.telegram.org/bots/api#message).
  if (!message || !ctx.from?.is_bot || message.sender_chat?.id !== message.chat.id) return;
  const command = COMMAND.exec(message.text ?? "");
  const addressee = command?.[1]?.toLowerCase();
  if (!command || (addressee !== undefined && addressee !== ctx.me.username.toLowerCase())) return;
  await ctx.reply(texts.in(undefined).t("anonymous-admin"), {
    reply_parameters: { message_id: message.message_id, allow_sending_without_reply: true },
  });
}
