import type { HttpAnswer } from "../platform/http-exchange.js";

/** Thrown when the answer violates the contract. The message never contains it, since it may contain links. */
export class WrongAnswerError extends Error {
  override readonly name = "WrongAnswerError";
}

export function wrongAnswer({ status, headers, text }: HttpAnswer): WrongAnswerError {
  const type = headers.get("content-type")?.slice(0, 60) ?? "no content type";
  return new WrongAnswerError(`HTTP ${status}, ${type}, ${text.length} characters`);
}
