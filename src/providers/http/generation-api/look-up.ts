import { SUBMISSION_ERROR_CODES } from "../../../contract/errors.js";
import { judgePost } from "../../../generation-api/judge-post.js";
import { readEnvelope } from "../../../generation-api/read-answer.js";
import { Retention } from "../../../generation-api/retention.js";
import type { HttpAnswer } from "../../../platform/http-exchange.js";
import { MINUTE_MS } from "../../../platform/units.js";
import type { DoubtfulAttempt, LookUpOutcome, UpstreamCall } from "../adapter.js";
import { ROOT } from "./root.js";
import { submitCall } from "./submit.js";

/** Later the person has the refund: a repeat might make what nobody waits for. */
const REPEATABLE_MS = 5 * MINUTE_MS;
const OF_THE_BODY: ReadonlySet<string> = new Set(SUBMISSION_ERROR_CODES);

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
  askedAt: number,
  asked?: UpstreamCall,
): LookUpOutcome {
  if (asked?.method === "POST") return readRepeat(answer);
  return mayRepeat(answer, askedAt - attempt.submittedAt)
    ? { kind: "next", call: submitCall(attempt.operation, attempt.id) }
    : { kind: "unknown" };
}

function mayRepeat(answer: HttpAnswer, ageMs: number): boolean {
  const retention = new Retention();
  retention.note(answer, readEnvelope(answer));
  return ageMs < Math.min(retention.announcedMs ?? 0, REPEATABLE_MS);
}

/**
 * The key is looked up before the body is judged: a refusal of the body proves that there is no job. It has a code of
 * the contract; a page of a proxy, such as a 404 during a restart, proves nothing.
 */
function readRepeat(answer: HttpAnswer): LookUpOutcome {
  const outcome = judgePost(answer, readEnvelope(answer), undefined);
  if (outcome.kind === "accepted") return { kind: "found", reference: { job_id: outcome.accepted.job_id } };
  const isOfBody = outcome.kind === "refused" && OF_THE_BODY.has(outcome.error.code);
  return { kind: isOfBody ? "absent" : "unknown" };
}
