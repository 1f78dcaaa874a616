import type { Context, MiddlewareFn } from "grammy";
import type { Message } from "grammy/types";
import type { Drafts } from "../card/draft/draft-store.js";
import { isForBot } from "../telegram/for-bot.js";
import { isPrivate } from "../telegram/place.js";

/**
 * Ends what people of a group say to each other. Must be before `sequentialize`, where a message may wait.
 * @param isAwaited tells which messages of a group go on although they do not speak to the bot
 */
export function forBotOnly(
  drafts: Pick<Drafts, "composing">,
  isAwaited: (message: Message) => boolean,
): MiddlewareFn<Context> {
  return async (ctx, next) => {
    const { message, editedMessage } = ctx;
    if (isPrivate(ctx)) return next();
    if (message && !isForBot(message, ctx.me) && !isAwaited(message)) return;
    if (editedMessage && !isForBot(editedMessage, ctx.me) && !hasCard(ctx, drafts)) return;
    await next();
  };
}

/** Tells whether a card is open: the edited message may be its description. */
function hasCard({ from, chatId }: Context, drafts: Pick<Drafts, "composing">): boolean {
  return from !== undefined && chatId !== undefined && drafts.composing(from.id, chatId) !== undefined;
}
