import type { JobEnd } from "./job-completion.js";

export const INTERRUPTED_TOO_OFTEN: JobEnd = {
  kind: "failed",
  failure: "provider",
  error: "The generation was interrupted too often.",
  cause: undefined,
};

/** Ends a job whose service takes no tasks. */
export function unavailableEnd(cause: string | undefined): JobEnd {
  return {
    kind: "failed",
    failure: "unavailable",
    error: "The service is not available at the moment.",
    cause,
  };
}
