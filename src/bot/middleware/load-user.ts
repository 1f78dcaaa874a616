import type { Context, MiddlewareFn } from "grammy";
import type { BotContext } from "../context.js";
import type { People } from "../people/people.js";
import { isPrivate } from "../telegram/place.js";
import type { Texts } from "../texts/texts.js";

/** Sets `ctx.person` and `ctx.language`, and stores a new person. */
export function loadUser(people: People, texts: Texts): MiddlewareFn<BotContext> {
  const localeOf = (code: string | undefined) => texts.in(code).code;
  const languageOf = (ctx: Context, code: string | undefined) =>
    isPrivate(ctx) ? texts.in(code) : texts.inGroup(code, ctx.me.username);
  return async (ctx, next) => {
    if (!ctx.from) return;
    // The error handler needs a language even when the person cannot be loaded.
    ctx.language = languageOf(ctx, ctx.from.language_code);
    const { person, isFirst } = await people.meet(ctx.from, localeOf);
    ctx.person = person;
    ctx.isNewcomer = isFirst;
    ctx.language = languageOf(ctx, ctx.person.locale);
    await next();
  };
}
