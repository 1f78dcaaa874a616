import { z } from "zod";
import { readFields } from "./read-answer.js";

const healthAnswer = z.object({ version: z.string() });

/** Reads the version of the API, `v1`. Throws WrongAnswerError. */
export function readHealth(body: unknown): string {
  return readFields(healthAnswer, body).version;
}
