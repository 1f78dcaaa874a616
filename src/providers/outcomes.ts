import type { Json } from "../catalogue/json.js";
import { type Cost, type Operation, takenOutputs, type UpstreamFile } from "../catalogue/operation.js";
import { failed, madeNothing, type Outcome } from "../jobs/provider.js";
import { reasonOf } from "../platform/errors.js";
import { ExchangeError, type HttpAnswer, retryAfterMs } from "../platform/http-exchange.js";
import { SENTENCES } from "../workers/generation-error.js";
import type { SubmitOutcome, UpstreamAdapter, UpstreamReference } from "./adapter.js";
import type { Attempt } from "./attempt-store.js";
import { unlessFlagged } from "./judge-status.js";
import { idsOf, type Service } from "./service.js";

/** Limits a cost to this many times what the catalogue expects. */
const FACTOR_MAX = 1000;
/** Limits a cost of which the catalogue expects nothing, or in another currency. */
const AMOUNT_MAX = 1_000_000;

/** Returns what a service says that it asked; where that cannot be, what the catalogue expects. */
export function plausibleCost(
  { logger }: Pick<Service, "logger">,
  attempt: Attempt,
  told: Cost | undefined,
): Cost | undefined {
  if (!told) return undefined;
  const expected = attempt.operation.cost;
  const isComparable = expected?.currency === told.currency && expected.amount > 0;
  const max = isComparable ? expected.amount * FACTOR_MAX : AMOUNT_MAX;
  if (told.amount >= 0 && told.amount <= max) return told;
  logger.error({ ...idsOf(attempt), told, expected }, "cost told by the service cannot be, not recorded");
  return expected;
}

export type Unmade = Exclude<Outcome, { kind: "made" }>;

const REFUSED = "The service refused the request by its content rules.";
const NOT_TAKEN = "The service could not take the request.";

export function refusedByContent(cause: string): Unmade {
  return failed("refused", REFUSED, cause);
}

export function timedOut(): Unmade {
  return failed("timeout", SENTENCES.timeout);
}

export function notStored(cause: unknown): Unmade {
  return failed("storage", SENTENCES.storage, cause);
}

export function declined(cause: string): Unmade {
  return { kind: "declined", error: SENTENCES.unavailable, cause };
}

/** Makes the job wait until the service takes tasks: nothing was sent. */
export function postponed(cause: string): Unmade {
  return { kind: "postponed", error: SENTENCES.unavailable, cause };
}

/** Returns how the run of an attempt ended; undefined while it goes on. */
export function outcomeOf(attempt: Attempt): Unmade | undefined {
  const { state } = attempt;
  const detail = attempt.detail ?? state;
  if (state === "refused") {
    if (attempt.refusal === "policy") return refusedByContent(detail);
    return failed("provider", NOT_TAKEN, detail);
  }
  if (attempt.late === 1) return timedOut();
  if (state === "failed" || state === "ambiguous") return madeNothing(detail);
  return undefined;
}

/** Returns the files of a finished task that are fetched; undefined where it tells none. */
export function filesOf(
  { logger }: Pick<Service, "logger">,
  attempt: Attempt,
  document: Json,
): readonly UpstreamFile[] | undefined {
  const taken = takenOutputs(attempt.operation, document);
  if (taken && taken.told > taken.files.length) {
    const counts = { told: taken.told, taken: taken.files.length };
    logger.warn({ ...idsOf(attempt), ...counts }, "the task made more files than its job takes");
  }
  return taken?.files;
}

/** Tells why a finished task has no result, with what the service said of it at the submit. */
export function noFile(attempt: Attempt): string {
  const warnings = warningsOf(attempt);
  const detail = "the finished task has no file";
  return warnings === undefined ? detail : `${detail}; at the submit the service said: ${warnings}`;
}

export function warningsOf({ reference }: Pick<Attempt, "reference">): string | undefined {
  return typeof reference?.warnings === "string" ? reference.warnings : undefined;
}

export function causeOf(error: unknown): string {
  return reasonOf(error instanceof ExchangeError ? error.cause : error);
}

/** Tells what a POST's end means. `not_sent`: no byte of it left. */
export type SubmitJudgement = SubmitOutcome | { kind: "not_sent"; detail: string };

/** Statuses of a server between, or of none: they say nothing of the task, whatever their body is. */
const DOUBTFUL_STATUSES = new Set([408, 499, 502, 504, 520, 521, 522, 523, 524]);

/** Limits what rows and log hold of references: an id, and a few addresses. */
const REFERENCE_LENGTH_MAX = 16_384;

export function judgeAnswer(
  adapter: Pick<UpstreamAdapter, "readSubmit">,
  answer: HttpAnswer,
  operation: Operation,
  now: number,
): SubmitOutcome {
  const { status } = answer;
  if (status < 200 || (status >= 300 && status < 400) || DOUBTFUL_STATUSES.has(status))
    return { kind: "ambiguous", detail: `HTTP ${status}` };
  const outcome = read(adapter, answer, operation);
  if (outcome.kind === "throttled") {
    const waitMs = outcome.retryAfterMs ?? retryAfterMs(answer.headers.get("retry-after"), now);
    return { ...outcome, retryAfterMs: waitMs };
  }
  if (outcome.kind === "ambiguous" && answer.fault)
    return { kind: "ambiguous", detail: `${outcome.detail}; ${answer.fault.message}` };
  return outcome;
}

/** Judges the error of a POST that got no status line. */
export function judgeFailure(error: unknown): SubmitJudgement {
  const detail = causeOf(error);
  return error instanceof ExchangeError && !error.isSent
    ? { kind: "not_sent", detail }
    : { kind: "ambiguous", detail };
}

function read(
  adapter: Pick<UpstreamAdapter, "readSubmit">,
  answer: HttpAnswer,
  operation: Operation,
): SubmitOutcome {
  try {
    const outcome = unlessFlagged(adapter.readSubmit(answer, operation));
    if (outcome.kind !== "accepted" || isBounded(outcome.reference)) return outcome;
    return { kind: "ambiguous", detail: "accepted, with a reference that is too long to be one" };
  } catch (error) {
    return { kind: "ambiguous", detail: `unreadable answer: ${reasonOf(error)}` };
  }
}

export function isBounded(reference: UpstreamReference): boolean {
  return JSON.stringify(reference).length <= REFERENCE_LENGTH_MAX;
}

/** Returns what a kept answer told; undefined where there is none that can be read. */
export async function readKeptAnswer(
  { adapter, options: { answers, clock } }: Service,
  { uuid, operation }: Attempt,
): Promise<{ document: Json; cost?: Cost } | undefined> {
  const answer = await answers.read(uuid);
  const judged = answer && judgeAnswer(adapter, answer, operation, clock.now());
  return judged?.kind === "ready" ? judged : undefined;
}
