/** Facts of an error that a program can act on. */
export interface ErrorParameters {
  /** Seconds. */
  retry_after: number;
}

/** How Telegram's own servers word a refusal, before the Bot API server translates it. */
export interface UpstreamRefusal {
  code: 400 | 403;
  text: string;
}

/** An answer `ok: false` of the Bot API: the HTTP status is the error code. */
export class BotApiError extends Error {
  override readonly name = "BotApiError";

  constructor(
    readonly code: number,
    readonly description: string,
    readonly parameters?: ErrorParameters,
    /** Absent where the Bot API server refuses by itself. */
    readonly upstream?: UpstreamRefusal,
  ) {
    super(description);
  }
}

/** A 400 in the server's form: `badRequest("chat not found")` → "Bad Request: chat not found". */
export function badRequest(reason: string): BotApiError {
  return new BotApiError(400, `Bad Request: ${reason}`);
}

/** A 400 of Telegram's own servers, which the Bot API server passes on as it is. */
export function upstreamBadRequest(text: string): BotApiError {
  return new BotApiError(400, `Bad Request: ${text}`, undefined, { code: 400, text });
}

/**
 * The error as `sendMediaGroup` answers it: refusals by Telegram's own servers are wrapped.
 * @param item the first item that was not sent, counted from 1
 */
export function albumError(error: BotApiError, item: number): BotApiError {
  if (!error.upstream) return error;
  const { code, text } = error.upstream;
  const prefix = code === 403 ? "Forbidden" : "Bad Request";
  return new BotApiError(code, `${prefix}: failed to send message #${item} with the error message "${text}"`);
}

export function conflict(reason: string): BotApiError {
  return new BotApiError(409, `Conflict: ${reason}`);
}

/** The 429 with the wait it asks for, in seconds. */
export function tooManyRequests(retryAfterSec: number): BotApiError {
  return new BotApiError(429, `Too Many Requests: retry after ${retryAfterSec}`, {
    retry_after: retryAfterSec,
  });
}
