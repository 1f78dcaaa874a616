import { type Answer, type Call, json } from "../call.js";
import type { Problem } from "../judge.js";

/*
 * Source: docs.kie.ai (codes of each page) and recorded answers: everything is HTTP 200, the code stands in the body,
 * and a refused field of a market model is code 500.
 */

export function done(data: unknown): Answer {
  return json(200, { code: 200, msg: "success", data });
}

export function refused(code: number, msg: string): Answer {
  return json(200, { code, msg, data: null });
}

export const RECORD_IS_NULL = refused(422, "recordInfo is null");

/** The words for the first refused field. */
export function wordsOf({ field, kind }: Problem): string {
  if (kind === "missing") return "This field is required";
  if (kind === "long") return "The text length cannot exceed the maximum limit";
  return `${field} is not within the range of allowed options`;
}

/** Something in front of the service refuses what does not say what program it is. */
export function refusedByFront({ headers }: Call): Answer | undefined {
  return headers["user-agent"] === undefined
    ? { status: 403, bytes: Buffer.from("error code: 1010") }
    : undefined;
}
