import type { ContractError } from "../contract/errors.js";
import type { ExchangeError, HttpAnswer } from "../platform/http-exchange.js";
import { type RemoteAccepted, readAccepted } from "./accepted-answer.js";
import { CallFailedError } from "./call-failed-error.js";
import { type AnswerEnvelope, readContractError } from "./read-answer.js";
import { wrongAnswer } from "./wrong-answer-error.js";

export type PostOutcome =
  | { kind: "accepted"; accepted: RemoteAccepted }
  | { kind: "refused"; error: ContractError }
  /** Nothing was accepted, for a temporary reason. */
  | { kind: "not_accepted"; failure: CallFailedError }
  /** `isFinal`: a repeat would be rejected too. */
  | { kind: "uncertain"; isFinal: boolean; failure: CallFailedError };

/** Statuses that mean "not accepted" even without an error code of the contract. */
const REFUSING_STATUSES: ReadonlySet<number> = new Set([401, 403, 404, 413]);
/** Temporary 4xx. With an `Idempotency-Key`, 409 means that the first POST is not answered yet. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([408, 409, 425]);

export function judgeFailedPost(cause: ExchangeError): PostOutcome {
  const failure = new CallFailedError({ cause });
  return cause.isSent ? { kind: "uncertain", isFinal: false, failure } : { kind: "not_accepted", failure };
}

/** Judges an answer. `body`: undefined unless it has the API's shape. */
export function judgePost(
  answer: HttpAnswer,
  body: AnswerEnvelope | undefined,
  retryAfterMs: number | undefined,
): PostOutcome {
  const accepted = readAccepted(answer);
  if (accepted) return { kind: "accepted", accepted };
  const { status } = answer;
  const refusal = readContractError(body);
  const failure = new CallFailedError({
    status,
    retryAfterMs,
    cause: answer.fault ?? refusal ?? wrongAnswer(answer),
  });
  if (status === 429) return { kind: "not_accepted", failure };
  if (status < 400 || status >= 500 || status === 408) return { kind: "uncertain", isFinal: false, failure };
  if (refusal) return { kind: "refused", error: refusal };
  if (REFUSING_STATUSES.has(status)) return { kind: "not_accepted", failure };
  return { kind: "uncertain", isFinal: !PASSING_STATUSES.has(status), failure };
}
