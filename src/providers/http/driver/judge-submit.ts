import { retryAfterMs } from "../../../generation-api/retry-after.js";
import type { Operation } from "../../../mapping/operation.js";
import { ExchangeError, type HttpAnswer } from "../../../platform/http-exchange.js";
import { reasonOf } from "../../../platform/reason-of.js";
import type { SubmitOutcome, UpstreamAdapter, UpstreamReference } from "../adapter.js";
import { unlessFlagged } from "../flags.js";

/** Tells what a POST's end means. `not_sent`: no byte of it left. */
export type SubmitJudgement = SubmitOutcome | { kind: "not_sent"; detail: string };

/** Statuses of a server between, or of none: they say nothing of the task, whatever their body is. */
const DOUBTFUL_STATUSES = new Set([408, 499, 502, 504, 520, 521, 522, 523, 524]);

/** Limits references: an id, and a few addresses. */
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

export function causeOf(error: unknown): string {
  return reasonOf(error instanceof ExchangeError ? error.cause : error);
}

function read(
  adapter: Pick<UpstreamAdapter, "readSubmit">,
  answer: HttpAnswer,
  operation: Operation,
): SubmitOutcome {
  try {
    return withinBounds(unlessFlagged(adapter.readSubmit(answer, operation)));
  } catch (error) {
    return { kind: "ambiguous", detail: `unreadable answer: ${reasonOf(error)}` };
  }
}

/** Refuses references that are too long for the row and the log. */
function withinBounds(outcome: SubmitOutcome): SubmitOutcome {
  if (outcome.kind !== "accepted" || isBounded(outcome.reference)) return outcome;
  return { kind: "ambiguous", detail: "accepted, with a reference that is too long to be one" };
}

export function isBounded(reference: UpstreamReference): boolean {
  return JSON.stringify(reference).length <= REFERENCE_LENGTH_MAX;
}
