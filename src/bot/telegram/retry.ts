import type { Transformer } from "grammy";
import type { ApiError } from "grammy/types";
import { type Clock, sleep } from "../../platform/clock.js";
import { backOffMs } from "../../platform/retry.js";
import { isVerdict, retryAfterMs } from "./failure.js";

/** How long faults are waited out, in ms: who is not answered at all asks again, and may credit twice. */
const PATIENCE_MS = 120_000;
/** A pause longer than this is not waited for inside a handler: the person would think the bot dead. */
const LONGEST_PAUSE_MS = 30_000;
const BACK_OFF = { firstMs: 300, maxMs: 10_000 };
/** A group does not move that often. */
const MOST_MOVES = 3;
/** The token is wrong, or was revoked: no try of a handler mends that. */
const WRONG_TOKEN: ReadonlySet<number> = new Set([401, 404]);

/** Calls that lose their point when they come late, or that their caller retries by a rule of its own. */
const NEVER_RETRIED = new Set(["getUpdates", "answerCallbackQuery", "sendChatAction"]);

/**
 * Repeats calls made from handlers: after exactly the pause that a 429 asks for, and after a back-off when
 * the server or the connection failed. A message may so arrive twice, which is better than not at all. Files
 * must be given so that they can be opened again. What is sent to a group that has become a supergroup meanwhile
 * goes to where the group is now.
 */
export function retryCalls(clock: Clock, signal: AbortSignal): Transformer {
  const retry: Transformer = async (call, method, original, callSignal) => {
    const deadline = clock.now() + PATIENCE_MS;
    let payload = original;
    let moves = 0;
    for (let attempt = 1; ; attempt += 1) {
      const mayWait = (pauseMs: number) => clock.now() + pauseMs <= deadline;
      // Whatever comes of a try behind the stop is the end of it.
      const isLast = signal.aborted;
      try {
        const answer = await call(method, payload, callSignal);
        if (answer.ok || isLast) return answer;
        const chat_id = answer.parameters?.migrate_to_chat_id;
        // Nothing else has a place there: the new chat gives its messages numbers of its own.
        if (chat_id !== undefined && method.startsWith("send") && moves < MOST_MOVES) {
          moves += 1;
          payload = { ...payload, chat_id };
          continue;
        }
        const pauseMs = pauseAfter(answer, attempt);
        if (pauseMs === undefined || !mayWait(pauseMs)) return answer;
        await sleep(clock, pauseMs, signal);
      } catch (error) {
        const pauseMs = backOffMs(attempt, BACK_OFF);
        if (isLast || !mayWait(pauseMs)) throw error;
        await sleep(clock, pauseMs, signal);
      }
    }
  };
  return (call, method, payload, callSignal) =>
    NEVER_RETRIED.has(method) ? call(method, payload, callSignal) : retry(call, method, payload, callSignal);
}

/** Undefined where no later try can work. */
function pauseAfter({ error_code: code, parameters }: ApiError, attempt: number): number | undefined {
  if (code === 429) {
    const pauseMs = retryAfterMs(parameters);
    return pauseMs <= LONGEST_PAUSE_MS ? pauseMs : undefined;
  }
  return isVerdict(code) || WRONG_TOKEN.has(code) ? undefined : backOffMs(attempt, BACK_OFF);
}
