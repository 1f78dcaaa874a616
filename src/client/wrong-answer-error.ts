import type { HttpAnswer } from "../platform/http-exchange.js";

/** The answer is not what the contract says. The message never contains the answer: it may hold links. */
export class WrongAnswerError extends Error {
  override readonly name = "WrongAnswerError";
}

export function wrongAnswer({ status, headers, text }: HttpAnswer): WrongAnswerError {
  const type = headers.get("content-type")?.slice(0, 60) ?? "no content type";
  return new WrongAnswerError(`HTTP ${status}, ${type}, ${text.length} characters`);
}
