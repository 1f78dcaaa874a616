import type { ServiceSettings } from "../catalogue/operation.js";
import { isConstraint } from "../database/database.js";
import { Ages } from "../platform/ages.js";
import type { Clock } from "../platform/clock.js";
import type { FailPoint } from "../platform/fail-point.js";
import type { Integer } from "../platform/integer.js";
import { type Logger, redact } from "../platform/logger.js";
import { retry } from "../platform/retry.js";
import type { UpstreamAdapter } from "./adapter.js";
import type { Attempt, AttemptStore } from "./attempt-store.js";
import type { ServiceCallbacks } from "./callbacks.js";
import { type PollLoad, pollSteps, taskPauseMs } from "./poll-schedule.js";
import type { KeptAnswers, ReferenceSpool } from "./reference-spool.js";
import type { Runs } from "./run.js";
import type { ServiceCalls } from "./service-calls.js";
import type { ServiceState } from "./service-state.js";
import type { ServiceStats } from "./service-stats.js";

export class PollPlan {
  readonly #settings: ServiceSettings;
  readonly #runs: Pick<Runs, "countAccepted">;
  readonly #ages: Ages;

  constructor(settings: ServiceSettings, runs: Pick<Runs, "countAccepted">, clock: Clock) {
    this.#settings = settings;
    this.#runs = runs;
    this.#ages = new Ages(clock);
  }

  /** Computes the pause from the acceptance to the first poll. Submits have spread them. */
  firstPauseMs({ operation }: Pick<Attempt, "operation">): Integer {
    return taskPauseMs(pollSteps(operation, this.#settings), 0, this.#load, () => 0);
  }

  /** Computes the pause after a poll that decided nothing. */
  pauseMs(attempt: Attempt): Integer {
    return taskPauseMs(pollSteps(attempt.operation, this.#settings), this.ageMs(attempt), this.#load);
  }

  /** Returns the age since the acceptance. From the first call on, best made then, no step of the clock changes it. */
  ageMs({ id, acceptedAt, plannedAt }: Attempt): number {
    return this.#ages.of(String(id), acceptedAt ?? plannedAt);
  }

  get #load(): PollLoad {
    const { polls_per_sec: perSec } = this.#settings;
    return { inFlight: perSec === undefined ? 0 : this.#runs.countAccepted(), perSec };
  }
}

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
