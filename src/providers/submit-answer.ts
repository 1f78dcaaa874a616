import type { Json } from "../catalogue/json.js";
import type { Cost, Operation } from "../catalogue/operation.js";
import { retryAfterMs } from "../generation-api/answers.js";
import { reasonOf } from "../platform/errors.js";
import { ExchangeError, type HttpAnswer } from "../platform/http-exchange.js";
import { integer } from "../platform/integer.js";
import type { SubmitOutcome, UpstreamAdapter, UpstreamReference } from "./adapter.js";
import type { Acceptance, Attempt } from "./attempt-store.js";
import { unlessFlagged } from "./flags.js";
import { causeOf } from "./outcomes.js";
import { deadlineMs } from "./poll-schedule.js";
import type { SpooledReference } from "./reference-spool.js";
import type { Service } from "./service.js";

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

/** Returns what a kept answer told; undefined where there is none that can be read. */
export async function readKeptAnswer(
  { adapter, options: { answers, clock } }: Service,
  { uuid, operation }: Attempt,
): Promise<{ document: Json; cost?: Cost } | undefined> {
  const answer = await answers.read(uuid);
  const judged = answer && judgeAnswer(adapter, answer, operation, clock.now());
  return judged?.kind === "ready" ? judged : undefined;
}

/** Builds an acceptance, with the deadline of the mapping, and the first poll as the service's schedule has it. */
export function acceptanceOf(
  service: Service,
  attempt: Attempt,
  { reference, accepted_at: acceptedAt }: Omit<SpooledReference, "uuid">,
): Acceptance {
  const deadlineAt = integer(acceptedAt + deadlineMs(attempt.operation.poll));
  return { reference, acceptedAt, deadlineAt, dueAt: integer(acceptedAt + service.firstPauseMs(attempt)) };
}
