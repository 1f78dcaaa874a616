/** The states of an attempt: one submission of a job to a service. */
export const ATTEMPT_STATES = [
  "planned",
  "sending",
  "accepted",
  "ready",
  "stored",
  "refused",
  "failed",
  "ambiguous",
  "cancelled",
] as const;
export type AttemptState = (typeof ATTEMPT_STATES)[number];
