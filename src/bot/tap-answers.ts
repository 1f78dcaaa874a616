import type { MiddlewareFn } from "grammy";
import { type Context, GrammyError, HttpError } from "grammy";
import type { Clock } from "../platform/clock.js";
import type { Logger } from "../platform/logger.js";

/** A tap whose handler is still waiting for something is answered without words after this, in ms. */
const ANSWER_BY_MS = 2000;

const answered = new WeakSet<object>();
const repeated = new WeakSet<object>();
/** tap → how to say that what it asked for has been done */
const conclusions = new WeakMap<object, () => void>();

/**
 * Answers a tap, with a short text or silently. An answer that does not arrive is no fault: the person sees
 * what the tap did. Only the first answer to a tap is sent.
 */
export async function answerTap(ctx: Context, text?: string, options?: { isAlert: boolean }): Promise<void> {
  const words = text === undefined ? {} : { text: text.slice(0, 200), show_alert: options?.isAlert ?? false };
  await sendAnswer(ctx, words);
}

/** Answers a tap with words that must be read. False when they have not arrived: then they are to be said aloud. */
export function alertTap(ctx: Context, text: string): Promise<boolean> {
  return sendAnswer(ctx, { text: text.slice(0, 200), show_alert: true });
}

async function sendAnswer(ctx: Context, words: { text?: string; show_alert?: boolean }): Promise<boolean> {
  const query = ctx.callbackQuery;
  if (!query || answered.has(query)) return false;
  answered.add(query);
  try {
    return await ctx.api.answerCallbackQuery(query.id, words);
  } catch (error) {
    if (error instanceof GrammyError || error instanceof HttpError) return false;
    throw error;
  }
}

/** True when the tap has had its answer, so that anything more must be said in a message. */
export function isAnswered(ctx: Context): boolean {
  return ctx.callbackQuery !== undefined && answered.has(ctx.callbackQuery);
}

/** True for a tap that came while the same one of the same person was still being handled: an impatient finger. */
export function isRepeated(ctx: Context): boolean {
  return ctx.callbackQuery !== undefined && repeated.has(ctx.callbackQuery);
}

/** What the tap asked for has been done: the same one asks for it again from now on. */
export function concludeTap(ctx: Context): void {
  if (ctx.callbackQuery) conclusions.get(ctx.callbackQuery)?.();
}

/**
 * Sees to it that every tap is answered: at once by its handler, or after two seconds while earlier updates
 * of the chat are still being handled, or when its handler ended without an answer.
 */
export function answerEveryTap(clock: Clock, logger: Logger): MiddlewareFn<Context> {
  const underWay = new Set<string>();
  return async (ctx, next) => {
    const query = ctx.callbackQuery;
    if (!query) return next();
    const tap = [query.from.id, ctx.chatId, query.message?.message_id, query.data].join();
    if (underWay.has(tap)) repeated.add(query);
    else conclusions.set(query, () => underWay.delete(tap));
    underWay.add(tap);
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
