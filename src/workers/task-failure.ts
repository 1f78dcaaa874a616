import type { Failure } from "../contract/job.js";
import { GenerationError } from "./generation-error.js";

/** What whoever ordered a task is told of its failure, where the worker has no words meant for them. */
const SENTENCES: Partial<Record<Failure, string>> = {
  timeout: "The generation took too long.",
  memory: "The generation needed too much memory.",
  storage: "The result could not be stored.",
  provider: "The generation failed.",
};

/**
 * The failure of a task.
 * @param detail what happened; it may name files and lines of this program, so it is the cause, for the log
 */
export function taskFailure(failure: Failure, detail: string): GenerationError {
  return new GenerationError(failure, SENTENCES[failure] ?? detail, { cause: new Error(detail) });
}
