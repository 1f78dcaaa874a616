import { readEnvelope } from "../../../client/read-answer.js";
import { Retention } from "../../../client/retention.js";
import type { HttpAnswer } from "../../../platform/http-exchange.js";
import { MINUTE_MS } from "../../../platform/units.js";
import type { DoubtfulAttempt, LookUpOutcome, UpstreamCall } from "../adapter.js";
import { ROOT } from "./root.js";
import { readSubmit, submitCall } from "./submit.js";

/** How far their clock and ours may differ. */
const SKEW_MS = 2 * MINUTE_MS;
/** Later the person has the refund: a repeat might make what nobody waits for. */
const REPEATABLE_MS = 5 * MINUTE_MS;

/** Asks whether the service honours `Idempotency-Key`. */
export function lookUpCall(): UpstreamCall {
  return { method: "GET", url: `${ROOT}/health` };
}

/**
 * Where the service announces it, the POST is repeated with its key: it makes at most one job, and tells which. Nothing
 * is repeated at any other service.
 */
export function readLookUp(
  answer: HttpAnswer,
  attempt: DoubtfulAttempt,
  asked?: UpstreamCall,
): LookUpOutcome {
  if (asked?.method === "POST") return readRepeat(answer);
  return mayRepeat(answer, attempt)
    ? { kind: "next", call: submitCall(attempt.operation, attempt.id) }
    : { kind: "unknown" };
}

function mayRepeat(answer: HttpAnswer, { submittedAt }: DoubtfulAttempt): boolean {
  const retention = new Retention();
  retention.note(answer, readEnvelope(answer));
  // The answer's own date: this function has no clock.
  const ageMs = Date.parse(answer.headers.get("date") ?? "") - submittedAt;
  const repeatableMs = Math.min(retention.announcedMs ?? 0, REPEATABLE_MS);
  return ageMs >= -SKEW_MS && ageMs < repeatableMs;
}

/** The key is looked up before the body is judged: a refusal of the body proves that there is no job. */
function readRepeat(answer: HttpAnswer): LookUpOutcome {
  const outcome = readSubmit(answer);
  if (outcome.kind === "accepted") return { kind: "found", reference: outcome.reference };
  const isRefused = outcome.kind === "refused" || outcome.kind === "declined";
  const isWithoutMoney = outcome.kind === "paused" && outcome.reason === "no_credit";
  return isRefused || isWithoutMoney ? { kind: "absent" } : { kind: "unknown" };
}
