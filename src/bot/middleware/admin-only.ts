import type { CommandContext, MiddlewareFn } from "grammy";
import type { Admins } from "../../ports/admins.js";
import type { BotContext } from "../context.js";
import { isOwnWords } from "../telegram/message-content.js";
import { isPrivate } from "../telegram/place.js";

/** Returns a predicate for `composer.filter`: updates of other people go on to the next feature. */
export function isAdmin(adminIds: Admins): (ctx: BotContext) => boolean {
  return (ctx) => adminIds.has(ctx.person.id);
}

/** Returns a predicate for commands of admins that are unknown to others, and in every chat but their private ones. */
export function forAdminsAlone(adminIds: Admins): (ctx: BotContext) => boolean {
  return (ctx) => adminIds.has(ctx.person.id) && isPrivate(ctx);
}

/** Refuses a command that its sender did not type: a forward, or a text of an inline or business bot. */
export const ownWordsOnly: MiddlewareFn<CommandContext<BotContext>> = async (ctx, next) => {
  if (isOwnWords(ctx.msg)) return next();
  await ctx.reply(ctx.language.t("admin-own-words"));
};
