import type { Failure } from "../contract/job.js";
import { GenerationError } from "./generation-error.js";

/** Texts for whoever ordered a task that failed, where the worker has none. */
const SENTENCES: Partial<Record<Failure, string>> = {
  timeout: "The generation took too long.",
  memory: "The generation needed too much memory.",
  storage: "The result could not be stored.",
  provider: "The generation failed.",
};

/** Builds the failure of a task. @param detail for the log: it may name files and lines of this program */
export function taskFailure(failure: Failure, detail: string): GenerationError {
  return new GenerationError(failure, SENTENCES[failure] ?? detail, { cause: new Error(detail) });
}
