import { GrammyError } from "grammy";
import type { Logger } from "../platform/logger.js";
import { type BotContext, isPrivate } from "./context.js";
import { answerTap, isAnswered } from "./tap-answers.js";

/**
 * The last net under every handler: a fault is logged, and its person is told what to do next. A person who has
 * shut the bot out is no fault. Never rejects.
 */
export async function apologise(ctx: BotContext, error: unknown, logger: Logger): Promise<void> {
  const ids = { update_id: ctx.update.update_id, user_id: ctx.from?.id, chat_id: ctx.chatId };
  if (error instanceof GrammyError && error.error_code === 403) {
    logger.info({ ...ids, reason: error.description }, "person not reached");
    return;
  }
  logger.error({ ...ids, err: error }, "update failed");
  await tell(ctx).catch((fault: unknown) =>
    logger.warn({ ...ids, err: fault }, "person not told of a fault"),
  );
}

async function tell(ctx: BotContext): Promise<void> {
  const words = ctx.language.t("fault-try-again");
  if (ctx.callbackQuery && !isAnswered(ctx)) await answerTap(ctx, words, { isAlert: true });
  else if (ctx.callbackQuery || (isPrivate(ctx) && ctx.message)) await ctx.reply(words);
}
