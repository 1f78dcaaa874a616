import type { ContractError } from "../contract/errors.js";
import type { ExchangeError, HttpAnswer } from "../platform/http-exchange.js";
import { type RemoteAccepted, readAccepted } from "./accepted-answer.js";
import { CallFailedError } from "./call-failed-error.js";
import { type Envelope, readContractError } from "./read-answer.js";
import { wrongAnswer } from "./wrong-answer-error.js";

/** What the end of one POST means. */
export type PostOutcome =
  | { kind: "accepted"; accepted: RemoteAccepted }
  | { kind: "refused"; error: ContractError }
  /** Nothing was accepted, for a reason that is not the request's. */
  | { kind: "not_accepted"; failure: CallFailedError }
  /** `isFinal`: the same POST would be answered the same way. */
  | { kind: "uncertain"; isFinal: boolean; failure: CallFailedError };

/** Statuses that need no code of the contract to say that nothing was accepted. */
const REFUSING_STATUSES: ReadonlySet<number> = new Set([401, 403, 404, 413]);
/** 4xx whose cause passes. With an `Idempotency-Key`, 409 means that the first POST is not answered yet. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([408, 409, 425]);

export function judgeFailure(cause: ExchangeError): PostOutcome {
  const failure = new CallFailedError({ cause });
  return cause.isSent ? { kind: "uncertain", isFinal: false, failure } : { kind: "not_accepted", failure };
}

/** @param body undefined where it is not what the API answers */
export function judgeAnswer(
  answer: HttpAnswer,
  body: Envelope | undefined,
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
