import type { Failure } from "../contract/job.js";
import type { Outcome } from "../ports/provider.js";

/** Reports a failed task; the message can be shown to users. */
export class GenerationError extends Error {
  override readonly name = "GenerationError";
  constructor(
    readonly failure: Failure,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Converts a GenerationError to an outcome, and throws any other error. */
export function failedOutcome(error: unknown): Outcome {
  if (!(error instanceof GenerationError)) throw error;
  const { failure, message: reason, cause = error } = error;
  return failure === "refused" ? { refused: true, reason, cause } : { failed: failure, reason, cause };
}
