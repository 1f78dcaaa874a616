import { type BotError, GrammyError } from "grammy";
import { Unavailable } from "../contract/errors.js";
import type { Clock } from "../platform/clock.js";
import type { Logger } from "../platform/logger.js";
import { accountNeededText, needsAccount } from "./account-needed.js";
import { TooManyDraftsError } from "./card/draft/draft-store.js";
import { PictureRefusedError } from "./card/pictures/pictures.js";
import type { BotContext } from "./context.js";
import { ToldLimits } from "./orders/checkout/told-limits.js";
import { telegramFailure } from "./telegram/failure.js";
import { isPrivate } from "./telegram/place.js";
import { alertTap, answerTap, isAnswered } from "./telegram/tap-answers.js";

/**
 * Logs what middleware throws and tells the person what to do. A blocked bot is not an error.
 * @param stopping aborts when the service begins to stop
 * @throws the error itself during a stop: the update runs again after the restart
 */
export function errorHandler(
  logger: Logger,
  stopping: AbortSignal,
  clock: Pick<Clock, "monotonic">,
): (error: BotError<BotContext>) => Promise<void> {
  const toldDrafts = new ToldLimits(clock);
  return async ({ ctx, error }) => {
    const ids = { update_id: ctx.update.update_id, user_id: ctx.from?.id, chat_id: ctx.chatId };
    if (stopping.aborted) {
      await answerTap(ctx).catch(() => {});
      throw error;
    }
    if (error instanceof GrammyError && error.error_code === 403) {
      logger.info({ ...ids, reason: error.description }, "person not reached");
      return answerTap(ctx);
    }
    if (isGroupInFloodWait(ctx, error)) {
      logger.info({ ...ids, reason: error.description }, "group in flood wait, not answered");
      await tellPrivately(ctx, logger);
      const language = ctx.language as BotContext["language"] | undefined;
      return answerTap(ctx, language?.t("fault-group-flooded"), { isAlert: true });
    }
    if (error instanceof TooManyDraftsError) return tellTooManyDrafts(ctx, error, toldDrafts);
    if (needsAccount(error)) logger.debug({ ...ids, err: error }, "no working account is connected");
    // What is refused of pictures has been logged.
    else if (!(error instanceof PictureRefusedError)) logger.error({ ...ids, err: error }, "update failed");
    await tell(ctx, error).catch((fault: unknown) =>
      logger.warn({ ...ids, err: fault }, "error message not sent"),
    );
  };
}

/** Tells the person in their private chat what must be known although the group takes no message. */
async function tellPrivately({ api, from, faultText }: BotContext, logger: Logger): Promise<void> {
  if (from === undefined || faultText === undefined) return;
  await api
    .sendMessage(from.id, faultText)
    .catch((error: unknown) => logger.warn({ user_id: from.id, err: error }, "error message not sent"));
}

/** Tells whether Telegram lets the bot write less in this group for now. Another message would only add to it. */
function isGroupInFloodWait(ctx: BotContext, error: unknown): error is GrammyError {
  return error instanceof GrammyError && !isPrivate(ctx) && telegramFailure(error).kind === "wait";
}

/** Tells the person what to do. An update that failed before its language was known is not answered. */
async function tell(ctx: BotContext, error: unknown): Promise<void> {
  if (error instanceof PictureRefusedError) return tellRefused(ctx, error);
  const { faultText } = ctx;
  const words = faultText ?? faultWords(ctx, error);
  if (words === undefined) return;
  if (faultText !== undefined) await ctx.reply(words);
  else if (ctx.callbackQuery && !isAnswered(ctx)) await answerTap(ctx, words, { isAlert: true });
  else if (ctx.callbackQuery || (ctx.message && (isPrivate(ctx) || needsAccount(error))))
    await ctx.reply(words);
}

/** Tells it once a minute, then answers taps in silence. */
async function tellTooManyDrafts(
  ctx: BotContext,
  { max }: TooManyDraftsError,
  told: ToldLimits,
): Promise<void> {
  if (told.note(ctx.person.id)) return answerTap(ctx);
  const words = ctx.language.t("too-many-drafts", { max });
  if (!(await alertTap(ctx, words))) await ctx.reply(words);
}

/** Tells why a picture was refused, also in a group: the person has asked for something with the picture. */
async function tellRefused(ctx: BotContext, { fault }: PictureRefusedError): Promise<void> {
  const words = ctx.language.t(`picture-${fault}`);
  if (!(await alertTap(ctx, words))) await ctx.reply(words);
}

/** Chooses the text about an error. Undefined before the person's language is known. */
function faultWords(ctx: BotContext, error: unknown): string | undefined {
  const language = ctx.language as BotContext["language"] | undefined;
  if (!language) return undefined;
  if (needsAccount(error)) return accountNeededText(error, ctx);
  const isUnreachable = error instanceof Unavailable && error.reason === "unreachable";
  return language.t(isUnreachable ? "fault-unreachable" : "fault-try-again");
}
