/** An answer `ok: false` of the Bot API: the HTTP status is the error code. */
export class BotApiError extends Error {
  override readonly name = "BotApiError";

  constructor(
    readonly code: number,
    readonly description: string,
    readonly parameters?: { retry_after?: number; migrate_to_chat_id?: number },
  ) {
    super(description);
  }
}

/** A 400 in the server's form: `badRequest("chat not found")` → "Bad Request: chat not found". */
export function badRequest(reason: string): BotApiError {
  return new BotApiError(400, `Bad Request: ${reason}`);
}

export function forbidden(reason: string): BotApiError {
  return new BotApiError(403, `Forbidden: ${reason}`);
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
