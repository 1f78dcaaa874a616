import type { Transformer } from "grammy";
import { type Clock, sleep } from "../../platform/clock.js";
import { backOffMs } from "../../platform/retry.js";

/** A pause longer than this is not waited for inside a handler: the person would think the bot dead. */
const LONGEST_WAIT_MS = 30_000;
const TRIES = 4;
const BACK_OFF = { firstMs: 300, maxMs: 5000 };

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
    let payload = original;
    for (let attempt = 1; ; attempt += 1) {
      const isLast = attempt === TRIES || signal.aborted;
      try {
        const answer = await call(method, payload, callSignal);
        if (answer.ok || isLast) return answer;
        const chat_id = answer.parameters?.migrate_to_chat_id;
        // Nothing else has a place there: the new chat gives its messages numbers of its own.
        if (chat_id !== undefined && method.startsWith("send")) {
          payload = { ...payload, chat_id };
          continue;
        }
        const pauseMs = pauseAfter(answer.error_code, answer.parameters?.retry_after, attempt);
        if (pauseMs === undefined) return answer;
        await sleep(clock, pauseMs, signal);
      } catch (error) {
        if (isLast) throw error;
        await sleep(clock, backOffMs(attempt, BACK_OFF), signal);
      }
    }
  };
  return (call, method, payload, callSignal) =>
    NEVER_RETRIED.has(method) ? call(method, payload, callSignal) : retry(call, method, payload, callSignal);
}

function pauseAfter(code: number, retryAfterSec: number | undefined, attempt: number): number | undefined {
  if (code === 429) {
    const pauseMs = (retryAfterSec ?? 1) * 1000;
    return pauseMs <= LONGEST_WAIT_MS ? pauseMs : undefined;
  }
  return code >= 500 ? backOffMs(attempt, BACK_OFF) : undefined;
}
