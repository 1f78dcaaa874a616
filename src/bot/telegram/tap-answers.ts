import { type Context, GrammyError, HttpError, type MiddlewareFn } from "grammy";
import type { Clock } from "../../platform/clock.js";
import type { Logger } from "../../platform/logger.js";
import { cutText } from "../texts/html.js";
import { isNothingToEdit } from "./failure.js";

/** Milliseconds after which a tap that is still being handled is answered without text. */
const ANSWER_BY_MS = 2000;
const ANSWER_MAX = 200;

export interface TapFlavor {
  tap?: {
    isAnswered: boolean;
    /** True for a double tap: the same one of the same person is still being handled. */
    isRepeated: boolean;
    /** Marks the tap's action as done: the same tap is no longer a repeated one. */
    conclude(): void;
  };
}

type AnyContext = Context & TapFlavor;

/** Answers a tap once, with a short text or silently. Failures are ignored. */
export async function answerTap(ctx: AnyContext, text?: string): Promise<void> {
  await sendAnswer(ctx, text);
}

/** Answers a tap with an alert. */
export async function alertTap(ctx: AnyContext, text: string): Promise<void> {
  await sendAnswer(ctx, text, true);
}

/** Answers with an alert or, where none was delivered, with a message. */
export async function alertOrReply(ctx: AnyContext, text: string, message = text): Promise<void> {
  if (!(await sendAnswer(ctx, text, true))) await ctx.reply(message);
}

async function sendAnswer(ctx: AnyContext, text?: string, show_alert = false): Promise<boolean> {
  const { callbackQuery: query, tap } = ctx;
  if (!query || !tap || tap.isAnswered) return false;
  tap.isAnswered = true;
  const words = text === undefined ? {} : { text: cutText(text, ANSWER_MAX), show_alert };
  try {
    return await ctx.api.answerCallbackQuery(query.id, words);
  } catch (error) {
    if (error instanceof GrammyError || error instanceof HttpError) return false;
    throw error;
  }
}

/**
 * Answers taps that no handler answers: after two seconds, or when the handler has ended. The error handler
 * answers for a handler that throws. Must be before `sequentialize`, where a tap may wait.
 */
export function answerCallbackQueries(clock: Clock, logger: Logger): MiddlewareFn<AnyContext> {
  const inFlight = new Set<string>();
  return async (ctx, next) => {
    const query = ctx.callbackQuery;
    if (!query) return next();
    const key = [query.from.id, ctx.chatId, query.message?.message_id, query.data].join();
    const isRepeated = inFlight.has(key);
    // The end of a repeated tap does not end the first one.
    const conclude = isRepeated ? () => {} : () => void inFlight.delete(key);
    ctx.tap = { isAnswered: false, isRepeated, conclude };
    inFlight.add(key);
    const answer = () =>
      answerTap(ctx).catch((error: unknown) => logger.debug({ err: error }, "tap not answered"));
    const cancel = clock.after(ANSWER_BY_MS, () => void answer());
    try {
      await next();
    } finally {
      cancel();
      conclude();
    }
    await answer();
  };
}

/** Waits for an edit. Returns false, and is no fault, where it would change nothing or its message is gone. */
export async function editOrIgnore(edit: Promise<unknown>): Promise<boolean> {
  try {
    await edit;
    return true;
  } catch (error) {
    if (!isNothingToEdit(error)) throw error;
    return false;
  }
}
