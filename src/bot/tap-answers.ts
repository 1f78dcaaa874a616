import type { MiddlewareFn } from "grammy";
import { type Context, GrammyError, HttpError } from "grammy";
import type { Clock } from "../platform/clock.js";
import type { Logger } from "../platform/logger.js";

/** A tap whose handler is still waiting for something is answered without words after this, in ms. */
const ANSWER_BY_MS = 2000;

interface TapState {
  /** Its one answer has been sent. */
  isAnswered: boolean;
  /** It came while the same tap of the same person was still being handled. */
  isRepeated: boolean;
  /** Says that what it asked for has been done. */
  conclude(): void;
}

/**
 * What is known of the tap that an update is, kept on its context: in a WeakMap the garbage collector takes it for
 * alive until its next full round, and with it all that it refers to.
 */
export interface TapFlavor {
  /** Absent on what is no tap. */
  tap?: TapState;
}

type AnyContext = Context & TapFlavor;

/**
 * Answers a tap, with a short text or silently. An answer that does not arrive is no fault: the person sees
 * what the tap did. Only the first answer to a tap is sent.
 */
export function answerTap(ctx: AnyContext, text?: string, options?: { isAlert: boolean }): Promise<void> {
  const words = text === undefined ? {} : { text: text.slice(0, 200), show_alert: options?.isAlert ?? false };
  return sendAnswer(ctx, words) as Promise<unknown> as Promise<void>;
}

/** Answers a tap with words that must be read. False when they have not arrived: then they are to be said aloud. */
export function alertTap(ctx: AnyContext, text: string): Promise<boolean> {
  return sendAnswer(ctx, { text: text.slice(0, 200), show_alert: true });
}

async function sendAnswer(ctx: AnyContext, words: { text?: string; show_alert?: boolean }): Promise<boolean> {
  const { callbackQuery: query, tap } = ctx;
  if (!query || !tap || tap.isAnswered) return false;
  tap.isAnswered = true;
  try {
    return await ctx.api.answerCallbackQuery(query.id, words);
  } catch (error) {
    if (error instanceof GrammyError || error instanceof HttpError) return false;
    throw error;
  }
}

/** True when the tap has had its answer, so that anything more must be said in a message. */
export function isAnswered(ctx: AnyContext): boolean {
  return ctx.tap?.isAnswered ?? false;
}

/** True for a tap that came while the same one of the same person was still being handled: an impatient finger. */
export function isRepeated(ctx: AnyContext): boolean {
  return ctx.tap?.isRepeated ?? false;
}

/** What the tap asked for has been done: the same one asks for it again from now on. */
export function concludeTap(ctx: AnyContext): void {
  ctx.tap?.conclude();
}

/**
 * Sees to it that every tap is answered: at once by its handler, or after two seconds while earlier updates
 * of the chat are still being handled, or when its handler ended without an answer.
 */
export function answerEveryTap(clock: Clock, logger: Logger): MiddlewareFn<AnyContext> {
  const underWay = new Set<string>();
  return async (ctx, next) => {
    const query = ctx.callbackQuery;
    if (!query) return next();
    const key = [query.from.id, ctx.chatId, query.message?.message_id, query.data].join();
    const isRepeated = underWay.has(key);
    // The end of a repeated one is not the end of the first.
    const conclude = isRepeated ? () => {} : () => void underWay.delete(key);
    ctx.tap = { isAnswered: false, isRepeated, conclude };
    underWay.add(key);
    const answer = () =>
      answerTap(ctx).catch((error: unknown) => logger.debug({ err: error }, "tap not answered"));
    const cancel = clock.after(ANSWER_BY_MS, () => void answer());
    try {
      await next();
    } finally {
      cancel();
      concludeTap(ctx);
      if (!isAnswered(ctx)) await answer();
    }
  };
}
