import { isConstraint } from "../../../database/errors.js";
import type { Clock } from "../../../platform/clock.js";
import type { FailPoint } from "../../../platform/fail-point.js";
import { type Logger, redact } from "../../../platform/logger.js";
import { retry } from "../../../platform/retry.js";
import type { UpstreamAdapter } from "../adapter.js";
import type { Attempt } from "./attempt.js";
import type { AttemptStore } from "./attempt-store.js";
import type { ServiceCallbacks } from "./callbacks.js";
import type { KeptAnswers } from "./kept-answers.js";
import type { PollPlan } from "./poll-plan.js";
import type { ReferenceSpool } from "./reference-spool.js";
import type { ServiceCalls } from "./service-calls.js";
import type { ServiceState } from "./service-state.js";
import type { ServiceStats } from "./service-stats.js";

const WRITE_BACK_OFF = { firstMs: 200, maxMs: 10_000 };
const DETAIL_LENGTH_MAX = 500;

export interface ServiceContext {
  adapter: UpstreamAdapter;
  store: AttemptStore;
  calls: ServiceCalls;
  state: ServiceState;
  spool: ReferenceSpool;
  answers: KeptAnswers;
  callbacks: ServiceCallbacks;
  polls: PollPlan;
  stats: ServiceStats;
  clock: Clock;
  logger: Logger;
  failPoint: FailPoint;
  /** Secret that is never in a row or in the log, even where an answer repeats it. */
  key: string;
  closing: AbortSignal;
}

/** Tries until the database takes it, refuses it for good or is about to close: then throws the last error. */
export function persist<T>(
  { clock, logger, closing }: Pick<ServiceContext, "clock" | "logger" | "closing">,
  attempt: Attempt,
  write: () => Promise<T>,
): Promise<T> {
  const onFailure = (error: unknown) =>
    logger.error({ ...idsOf(attempt), err: error }, "attempt not written, trying again");
  const options = { clock, backOff: WRITE_BACK_OFF, onFailure, signal: closing, until: isConstraint };
  return retry(options, write);
}

/** Cleans what a service said, for the record. */
export function cleanDetail({ key }: Pick<ServiceContext, "key">, detail: string): string {
  const clean = key === "" ? detail : detail.replaceAll(key, "[key]");
  return redact(clean).slice(0, DETAIL_LENGTH_MAX);
}

export function idsOf({ id, jobId, operation }: Attempt) {
  return { attempt_id: id, job_id: jobId, endpoint: operation.endpoint };
}
