import { GrammyError, HttpError } from "grammy";
import { type BackOff, backOffMs } from "../../platform/retry.js";

/**
 * What a failed call to Telegram means for whoever made it:
 * `wait` the server asked for a pause; `again` it may work later (server fault, broken connection, an odd code, a
 * token that was changed and that the operator has yet to set);
 * `blocked` the person or chat has shut the bot out; `no_chat` the chat does not exist (any more);
 * `moved` the group has become a supergroup with another id; `refused` it will never work as it is.
 */
export type TelegramFailure =
  | { kind: "wait"; retryAfterMs: number }
  | { kind: "again" }
  | { kind: "blocked" }
  | { kind: "no_chat" }
  | { kind: "moved"; chatId: number }
  | { kind: "refused"; description: string };

/** A pause of nothing would ask for the next call at once. */
const SHORTEST_WAIT_SEC = 1;

/** How long a 429 asks to wait, in ms. */
export function retryAfterMs({ retry_after }: { retry_after?: number } = {}): number {
  return Math.max(retry_after ?? 0, SHORTEST_WAIT_SEC) * 1000;
}

/** True for the codes that judge a call itself. Any other may be different next time. */
export function isVerdict(code: number): boolean {
  return code === 400 || code === 403 || code === 413;
}

/** Judges an error thrown by a call. Errors that did not come from a call are thrown on. */
export function telegramFailure(error: unknown): TelegramFailure {
  if (error instanceof HttpError) return { kind: "again" };
  if (!(error instanceof GrammyError)) throw error;
  const { error_code: code, description, parameters } = error;
  if (code === 429) return { kind: "wait", retryAfterMs: retryAfterMs(parameters) };
  if (!isVerdict(code)) return { kind: "again" };
  if (code === 403) return { kind: "blocked" };
  if (parameters.migrate_to_chat_id !== undefined)
    return { kind: "moved", chatId: parameters.migrate_to_chat_id };
  if (/chat not found|PEER_ID_INVALID|chat_id is empty/.test(description)) return { kind: "no_chat" };
  return { kind: "refused", description };
}

/**
 * How long to wait before the next try of a call that failed `attempt` times, in ms: exactly as long as the server
 * asked for, else a back-off. Undefined where no later try can work.
 */
export function pauseBeforeRetry(
  failure: TelegramFailure,
  attempt: number,
  backOff: BackOff,
): number | undefined {
  if (failure.kind === "wait") return failure.retryAfterMs;
  return failure.kind === "again" ? backOffMs(attempt, backOff) : undefined;
}

/** True for an edit that would change nothing, or comes for a message that is gone: there is nothing to do. */
export function isNothingToEdit(error: unknown): boolean {
  return (
    error instanceof GrammyError &&
    /message is not modified|message to edit not found|message can't be edited|MESSAGE_ID_INVALID/.test(
      error.description,
    )
  );
}

/** True when the topic of a group is gone, so that a message must go to the group itself. */
export function isTopicGone(error: unknown): boolean {
  return (
    error instanceof GrammyError && /message thread not found|TOPIC_(DELETED|CLOSED)/.test(error.description)
  );
}
