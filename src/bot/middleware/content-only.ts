import type { MiddlewareFn } from "grammy";
import type { BotContext } from "../context.js";
import { hasContent } from "../telegram/message-content.js";

/** Ends service messages and membership updates. */
export function contentOnly(): MiddlewareFn<BotContext> {
  return async (ctx, next) => {
    if (ctx.myChatMember || (ctx.message && !hasContent(ctx.message))) return;
    await next();
  };
}
