import type { MiddlewareFn } from "grammy";
import type { BotContext } from "../context.js";
import { hasContent } from "../telegram/message-content.js";

/** Ends service messages and membership updates. @param isWanted tells which service messages go on */
export function contentOnly(isWanted: (ctx: BotContext) => boolean): MiddlewareFn<BotContext> {
  return async (ctx, next) => {
    if (ctx.myChatMember || (ctx.message && !hasContent(ctx.message) && !isWanted(ctx))) return;
    await next();
  };
}
