import type { Failure } from "../contract/job.js";

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
