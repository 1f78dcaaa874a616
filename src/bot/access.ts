import type { MiddlewareFn } from "grammy";
import { type BotContext, isPrivate } from "./context.js";
import { answerTap } from "./tap-answers.js";

/** Lets only the listed people in, where there is a list. Others get one polite refusal a run. */
export function onlyAllowed(userIds: readonly number[]): MiddlewareFn<BotContext> {
  if (userIds.length === 0) return (_ctx, next) => next();
  const allowed = new Set(userIds);
  const refused = new Set<number>();
  return async (ctx, next) => {
    if (allowed.has(ctx.person.id)) return next();
    if (ctx.callbackQuery) return answerTap(ctx, ctx.language.t("not-allowed"), { isAlert: true });
    if (refused.has(ctx.person.id) || !isPrivate(ctx)) return;
    refused.add(ctx.person.id);
    await ctx.reply(ctx.language.t("not-allowed"));
  };
}
