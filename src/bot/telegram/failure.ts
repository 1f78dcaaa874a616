import { GrammyError, HttpError, type Transformer } from "grammy";
import type { ApiError } from "grammy/types";
import { type Clock, sleep } from "../../platform/clock.js";
import { ExchangeError } from "../../platform/http-exchange.js";
import { type BackOff, backOffMs } from "../../platform/retry.js";
import { isBeyondLimit, UnreadableAnswerError, UnreadableFileError } from "./files.js";

/**
 * `wait`: the server asked for a pause; `again`: transient (server fault, broken connection, unknown code, invalid
 * token); `blocked`: the person or chat blocks the bot; `no_chat`: the chat does not exist; `moved`: the group has
 * become a supergroup; `refused`: permanent.
 */
export type TelegramFailure =
  | { kind: "wait"; retryAfterMs: number }
  | { kind: "again" }
  | { kind: "blocked" }
  | { kind: "no_chat" }
  | { kind: "moved"; chatId: number }
  | { kind: "refused"; description: string };

const SHORTEST_WAIT_SEC = 1;

/** The pause that the server asks for is never zero, which would repeat the call at once. */
function waitFor(seconds = 0): TelegramFailure {
  return { kind: "wait", retryAfterMs: Math.max(seconds, SHORTEST_WAIT_SEC) * 1000 };
}

/** Codes that judge the call itself. Others may be transient. */
const VERDICTS: ReadonlySet<number> = new Set([400, 403, 413]);

/**
 * Matches an album's failure, which carries the error of one message, mostly as a 400. The number does not tell what
 * has arrived, because the server also counts failed messages (tdlib/telegram-bot-api, Client.cpp,
 * on_message_send_failed).
 */
const ALBUM_ERROR = /failed to send message #\d+ with the error message "(.*)"/is;
const BLOCKED = /USER_IS_BLOCKED|USER_DEACTIVATED|user is deactivated|bot was blocked by the user/i;
const NO_CHAT = /chat not found|PEER_ID_INVALID|chat_id is empty/;
const WAIT = /Too Many Requests: retry after (\d+)|(?:FLOOD|SLOWMODE)_WAIT_(\d+)/i;
/** Matches transient 400s: the server has sent none of an album, or a part of it. */
const PASSING = /group send failed|message was not sent/i;

function classifyAnswer(
  answer: Pick<ApiError, "error_code" | "description" | "parameters">,
): TelegramFailure {
  const { error_code: code, description, parameters = {} } = answer;
  if (code === 429) return waitFor(parameters.retry_after);
  if (!VERDICTS.has(code)) return { kind: "again" };
  const { migrate_to_chat_id: chatId } = parameters;
  if (code === 400 && chatId !== undefined) return { kind: "moved", chatId };
  const reason = ALBUM_ERROR.exec(description)?.[1] ?? description;
  const [, flood, slowMode] = WAIT.exec(reason) ?? [];
  const waitSec = flood ?? slowMode;
  if (waitSec !== undefined) return waitFor(Number(waitSec));
  if (code === 403 || BLOCKED.test(reason)) return { kind: "blocked" };
  if (NO_CHAT.test(reason)) return { kind: "no_chat" };
  return PASSING.test(reason) ? { kind: "again" } : { kind: "refused", description };
}

/** Classifies the error of a call. Rethrows any other error. */
export function telegramFailure(error: unknown): TelegramFailure {
  if (error instanceof HttpError) return { kind: "again" };
  if (!(error instanceof GrammyError)) throw error;
  return classifyAnswer(error);
}

/** True where the answer to a call was lost that Telegram may have done. */
export function mayHaveArrived(error: unknown): boolean {
  if (!(error instanceof HttpError)) return false;
  const { error: cause } = error;
  if (cause instanceof ExchangeError) return cause.isSent;
  return !(cause instanceof UnreadableAnswerError || cause instanceof UnreadableFileError);
}

/** Returns the pause after what may have arrived, which grows eightfold: each further try may bring it once more. */
export function pauseAfterLoss(attempt: number, backOff: BackOff): number {
  return backOffMs(3 * attempt - 2, backOff);
}

/** Says why nothing reaches a person: they block the bot, or have no chat with it. Undefined for other faults. */
export function unreachable(error: unknown): "blocked" | "no_chat" | undefined {
  const { kind } = telegramFailure(error);
  return kind === "blocked" || kind === "no_chat" ? kind : undefined;
}

export function isTooLarge(error: unknown): boolean {
  return error instanceof GrammyError && error.error_code === 413;
}

export function isCaptionTooLong(error: unknown): boolean {
  return error instanceof GrammyError && /caption is too long|CAPTION_TOO_LONG/i.test(error.description);
}

/** Returns the pause that the server asks for, else a back-off, in ms. Undefined when no retry can succeed. */
export function pauseBeforeRetry(
  failure: TelegramFailure,
  attempt: number,
  backOff: BackOff,
): number | undefined {
  if (failure.kind === "wait") return failure.retryAfterMs;
  return failure.kind === "again" ? backOffMs(attempt, backOff) : undefined;
}

/** True when an edit or removal would change nothing, or its message is gone or too old for it. */
export function isNothingToEdit(error: unknown): boolean {
  return (
    error instanceof GrammyError &&
    /message is not modified|message to edit not found|message can't be edited|message to delete not found|there is no text in the message to edit|message can't be deleted|MESSAGE_ID_INVALID/.test(
      error.description,
    )
  );
}

/** True when the message that was to be copied is gone, or is of a kind that nobody gets a copy of. */
export function isNothingToCopy(error: unknown): boolean {
  return (
    error instanceof GrammyError &&
    /message to copy not found|message can't be copied|MESSAGE_ID_INVALID/.test(error.description)
  );
}

export function isTopicGone(error: unknown): boolean {
  return (
    error instanceof GrammyError && /message thread not found|TOPIC_(DELETED|CLOSED)/.test(error.description)
  );
}

/** Milliseconds in which a call is retried. An admin who gets no answer may credit twice. */
const PATIENCE_MS = 120_000;
/** Milliseconds of retries in a group, where others wait. What must be said goes through `Outbox`. */
const GROUP_PATIENCE_MS = 5000;
/** Milliseconds that a handler waits at most, because the bot would seem dead. */
const LONGEST_PAUSE_MS = 30_000;
const BACK_OFF = { firstMs: 300, maxMs: 10_000 };
const LOST_BACK_OFF = { firstMs: 300, maxMs: 60_000 };
const MOST_MOVES = 3;
/** Codes of a wrong or revoked token: no retry can succeed. */
const WRONG_TOKEN: ReadonlySet<number> = new Set([401, 404]);

/** Calls that are useless when late, or that their caller retries. */
const NEVER_RETRIED = new Set(["getUpdates", "answerCallbackQuery", "sendChatAction"]);

/** Retries calls made from handlers. A message may arrive twice. Files must be reopenable for each try. */
export function retryCalls(clock: Clock, signal: AbortSignal): Transformer {
  return async (call, method, original, callSignal) => {
    if (NEVER_RETRIED.has(method)) return call(method, original, callSignal);
    const isToGroup = Number((original as { chat_id?: unknown }).chat_id) < 0;
    const deadline = clock.monotonic() + (isToGroup ? GROUP_PATIENCE_MS : PATIENCE_MS);
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
        const mayBeCopy = /^(?:send|copy)/.test(method) && mayHaveArrived(error);
        const pauseMs = mayBeCopy ? pauseAfterLoss(attempt, LOST_BACK_OFF) : backOffMs(attempt, BACK_OFF);
        if (isLast || isBeyondLimit(error) || !mayWait(pauseMs)) throw error;
        await sleep(clock, pauseMs, signal);
      }
    }
  };
}

/** Returns the pause. Undefined when no retry can succeed or it is too long. */
function pauseAfter(answer: ApiError, attempt: number): number | undefined {
  if (WRONG_TOKEN.has(answer.error_code)) return undefined;
  const pauseMs = pauseBeforeRetry(classifyAnswer(answer), attempt, BACK_OFF);
  return pauseMs === undefined || pauseMs > LONGEST_PAUSE_MS ? undefined : pauseMs;
}
