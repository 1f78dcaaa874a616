import { GrammyError, HttpError } from "grammy";
import type { ApiError } from "grammy/types";
import { type BackOff, backOffMs } from "../../platform/retry.js";

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

/** Reads the pause that a 429 asks for, in ms. It is never zero, which would repeat the call at once. */
export function floodWaitMs({ retry_after }: { retry_after?: number } = {}): number {
  return Math.max(retry_after ?? 0, SHORTEST_WAIT_SEC) * 1000;
}

/** Tells whether a code judges the call itself. Others may be transient. */
function isVerdict(code: number): boolean {
  return code === 400 || code === 403 || code === 413;
}

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

export function classifyAnswer(
  answer: Pick<ApiError, "error_code" | "description" | "parameters">,
): TelegramFailure {
  const { error_code: code, description, parameters = {} } = answer;
  if (code === 429) return { kind: "wait", retryAfterMs: floodWaitMs(parameters) };
  if (!isVerdict(code)) return { kind: "again" };
  const { migrate_to_chat_id: chatId } = parameters;
  if (code === 400 && chatId !== undefined) return { kind: "moved", chatId };
  const reason = ALBUM_ERROR.exec(description)?.[1] ?? description;
  const [, flood, slowMode] = WAIT.exec(reason) ?? [];
  const waitSec = flood ?? slowMode;
  if (waitSec !== undefined)
    return { kind: "wait", retryAfterMs: floodWaitMs({ retry_after: Number(waitSec) }) };
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

/** True when an edit would change nothing, or its message is gone or cannot be edited. */
export function isNothingToEdit(error: unknown): boolean {
  return (
    error instanceof GrammyError &&
    /message is not modified|message to edit not found|message can't be edited|MESSAGE_ID_INVALID/.test(
      error.description,
    )
  );
}

export function isTopicGone(error: unknown): boolean {
  return (
    error instanceof GrammyError && /message thread not found|TOPIC_(DELETED|CLOSED)/.test(error.description)
  );
}
