import { SUBMISSION_ERROR_CODES } from "../../../contract/errors.js";
import { judgePost } from "../../../generation-api/judge-post.js";
import { readEnvelope } from "../../../generation-api/read-answer.js";
import { Retention } from "../../../generation-api/retention.js";
import type { HttpAnswer } from "../../../platform/http-exchange.js";
import { MINUTE_MS } from "../../../platform/units.js";
import type { DoubtfulAttempt, LookUpOutcome, UpstreamCall } from "../adapter.js";
import { ROOT } from "./root.js";
import { submitCall } from "./submit.js";

/** Age until which a repeat helps: later the person has the refund, and nobody waits for what it might make. */
const REPEATABLE_MS = 5 * MINUTE_MS;
const OF_THE_BODY: ReadonlySet<string> = new Set(SUBMISSION_ERROR_CODES);

export function lookUpCall(): UpstreamCall {
  return { method: "GET", url: `${ROOT}/health` };
}

/** Repeats the POST with its key only where the service announces it: it makes at most one job, and tells which. */
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
 * Judges a repeat. The key is looked up before the body is judged, so a refusal with a code of the contract proves that
 * there is no job; a page of a proxy, such as a 404 during a restart, proves nothing.
 */
function readRepeat(answer: HttpAnswer): LookUpOutcome {
  const outcome = judgePost(answer, readEnvelope(answer), undefined);
  if (outcome.kind === "accepted") return { kind: "found", reference: { job_id: outcome.accepted.job_id } };
  const isOfBody = outcome.kind === "refused" && OF_THE_BODY.has(outcome.error.code);
  return { kind: isOfBody ? "absent" : "unknown" };
}
