import type { HttpAnswer } from "../platform/http-exchange.js";

/** The answer is not what the contract says. The message never contains the answer: it may hold links. */
export class WrongAnswer extends Error {
  override readonly name = "WrongAnswer";
}

export function wrongAnswer({ status, headers, text }: HttpAnswer): WrongAnswer {
  const type = headers.get("content-type")?.slice(0, 60) ?? "no content type";
  return new WrongAnswer(`HTTP ${status}, ${type}, ${text.length} characters`);
}
