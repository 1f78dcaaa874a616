import type { Failure } from "../contract/job.js";

/** What whoever ordered reads of a failure that is not theirs. */
export const SENTENCES = {
  timeout: "The generation took too long.",
  memory: "The generation needed too much memory.",
  storage: "The result could not be stored.",
  provider: "The generation failed.",
  unavailable: "The service is not available at the moment.",
} as const satisfies Partial<Record<Failure, string>>;

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
