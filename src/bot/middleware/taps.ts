import { Composer, type MiddlewareFn, type NextFunction } from "grammy";
import type { BotContext } from "../context.js";
import type { CallbackData } from "../telegram/callback-data.js";

/** Passes taps on the buttons of a codec to their handler. A tap with other data goes on to the next middleware. */
export function taps<T>(
  codec: CallbackData<T>,
  handle: (ctx: BotContext, data: T, next: NextFunction) => Promise<unknown>,
): MiddlewareFn<BotContext> {
  const composer = new Composer<BotContext>();
  composer.callbackQuery(codec.pattern, async (ctx, next) => {
    const data = codec.decode(ctx.callbackQuery.data);
    await (data === undefined ? next() : handle(ctx, data, next));
  });
  return composer.middleware();
}
