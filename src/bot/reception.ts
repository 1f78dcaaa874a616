import type { Context, MiddlewareFn } from "grammy";
import type { Logger } from "../platform/logger.js";
import { Access } from "./access.js";
import { answerAnonymous } from "./anonymous.js";
import { apologise } from "./apology.js";
import type { BotContext } from "./context.js";
import type { FeatureParts } from "./features/feature.js";
import { queuesOf } from "./update-queues.js";

interface ReceptionParts extends Pick<FeatureParts, "people" | "texts" | "gateways" | "orders" | "adminIds"> {
  /** Empty: everybody. */
  allowedUsers: readonly number[];
  logger: Logger;
  /** Aborts when the service begins to stop. */
  stopping: AbortSignal;
}

/**
 * What stands before every feature: says who wrote the update and in which language to answer, lets them in, and
 * apologises where a feature fails. One function, since each layer of middleware costs every update.
 */
export function reception(parts: ReceptionParts): MiddlewareFn<BotContext> {
  const { people, texts, gateways, orders, logger, stopping } = parts;
  const access = new Access(parts.allowedUsers, parts.adminIds);
  const localeOf = (code: string | undefined) => texts.in(code).code;
  /** Queues in which the stop has cut an update off: handled before it, a later one would be undone by it. */
  const cutOff = new Set<string>();

  return async (ctx, next) => {
    // Channels, and anything without a person in a chat, have nobody to answer to.
    if (!ctx.from || ctx.from.is_bot || ctx.chatId === undefined) return answerAnonymous(ctx, texts);
    // Whatever fails from here on is said in words.
    ctx.language = texts.in(ctx.from.language_code);
    try {
      if (cutOff.size > 0 && queuesOf(ctx).some((queue) => cutOff.has(queue)))
        throw new Error("one before it was cut off");
      const met = people.meet(ctx.from, localeOf);
      ctx.person = met instanceof Promise ? await met : met;
      ctx.language = texts.in(ctx.person.locale);
      if (!access.isFor(ctx.person.id)) return await access.refuse(ctx);
      // Whoever writes for the first time gets an account, whatever they wrote.
      await gateways.of(ctx.person);
      if (!isLeaving(ctx)) await orders.onContact(ctx.person.id);
      if (!ctx.myChatMember) await next();
    } catch (error) {
      if (!stopping.aborted) return await apologise(ctx, error, logger);
      // The stop cut it off, or it fails once more when it runs again: no words for it now.
      for (const queue of queuesOf(ctx)) cutOff.add(queue);
      throw error;
    }
  };
}

function isLeaving({ myChatMember }: Context): boolean {
  return myChatMember?.new_chat_member.status === "kicked";
}
