import type { Outcome } from "../../../ports/provider.js";
import type { Attempt } from "./attempt.js";

/** Outcome of a job that has no files. */
export type Unmade = Exclude<Outcome, { files: unknown }>;

const REFUSED = "The service refused the request by its content rules.";
const NOT_TAKEN = "The service could not take the request.";
const FAILED = "The generation failed.";
const TIMED_OUT = "The generation took too long.";
const UNAVAILABLE = "The service is not available at the moment.";
const NOT_STORED = "The result could not be stored.";

export function failed(cause: string): Unmade {
  return { failed: "provider", reason: FAILED, cause: cause };
}

export function refusedByContent(cause: string): Unmade {
  return { refused: true, reason: REFUSED, cause };
}

export function timedOut(): Unmade {
  return { failed: "timeout", reason: TIMED_OUT };
}

export function notStored(cause: unknown): Unmade {
  return { failed: "storage", reason: NOT_STORED, cause };
}

/** Ends a job that waited for long enough. */
export function unavailable(cause: string): Unmade {
  return { failed: "unavailable", reason: UNAVAILABLE, cause: cause };
}

export function declined(cause: string): Unmade {
  return { declined: true, reason: UNAVAILABLE, cause: cause };
}

/** Makes the job wait until the service takes tasks: nothing was sent. */
export function postponed(cause: string): Unmade {
  return { postponed: true, reason: UNAVAILABLE, cause: cause };
}

/** Returns how the run of an attempt ended; undefined while it goes on. */
export function outcomeOf(attempt: Attempt): Unmade | undefined {
  const { state, detail = state } = attempt;
  if (state === "refused") {
    if (attempt.refusal === "policy") return refusedByContent(detail);
    return { failed: "provider", reason: NOT_TAKEN, cause: detail };
  }
  if (attempt.isLate) return timedOut();
  if (state === "failed" || state === "ambiguous") return failed(detail);
  return undefined;
}
