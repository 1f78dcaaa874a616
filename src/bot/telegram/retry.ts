import type { Transformer } from "grammy";
import type { ApiError } from "grammy/types";
import { type Clock, sleep } from "../../platform/clock.js";
import { backOffMs } from "../../platform/retry.js";
import { classifyAnswer, pauseBeforeRetry } from "./failure.js";
import { isBeyondLimit } from "./upload.js";

/** Milliseconds in which a call is retried. An admin who gets no answer may credit twice. */
const PATIENCE_MS = 120_000;
/** Milliseconds of retries in a group, where others wait. What must be said goes through `Outbox`. */
const GROUP_PATIENCE_MS = 5000;
/** Milliseconds that a handler waits at most, because the bot would seem dead. */
const LONGEST_PAUSE_MS = 30_000;
const BACK_OFF = { firstMs: 300, maxMs: 10_000 };
const MOST_MOVES = 3;
/** Codes of a wrong or revoked token: no retry can succeed. */
const WRONG_TOKEN: ReadonlySet<number> = new Set([401, 404]);

/** Calls that are useless when late, or that their caller retries. */
const NEVER_RETRIED = new Set(["getUpdates", "answerCallbackQuery", "sendChatAction"]);

/** Retries calls made from handlers. A message may arrive twice. Files must be reopenable for each try. */
export function retryCalls(clock: Clock, signal: AbortSignal): Transformer {
  const retry: Transformer = async (call, method, original, callSignal) => {
    const deadline = clock.monotonic() + (isToGroup(original) ? GROUP_PATIENCE_MS : PATIENCE_MS);
    let payload = original;
    let moves = 0;
    for (let attempt = 1; ; attempt += 1) {
      const mayWait = (pauseMs: number) => clock.monotonic() + pauseMs <= deadline;
      // After the stop, the current try is the last.
      const isLast = signal.aborted;
      try {
        const answer = await call(method, payload, callSignal);
        if (answer.ok || isLast) return answer;
        const chat_id = answer.parameters?.migrate_to_chat_id;
        // Only sends are redirected: message ids are different in the new chat.
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
        if (isLast || isBeyondLimit(error) || !mayWait(pauseMs)) throw error;
        await sleep(clock, pauseMs, signal);
      }
    }
  };
  return (call, method, payload, callSignal) =>
    NEVER_RETRIED.has(method) ? call(method, payload, callSignal) : retry(call, method, payload, callSignal);
}

function isToGroup(payload: object): boolean {
  return Number((payload as { chat_id?: unknown }).chat_id) < 0;
}

/** Returns the pause. Undefined when no retry can succeed or it is too long. */
function pauseAfter(answer: ApiError, attempt: number): number | undefined {
  if (WRONG_TOKEN.has(answer.error_code)) return undefined;
  const pauseMs = pauseBeforeRetry(classifyAnswer(answer), attempt, BACK_OFF);
  return pauseMs === undefined || pauseMs > LONGEST_PAUSE_MS ? undefined : pauseMs;
}
