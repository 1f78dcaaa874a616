/** Codes that refuse the body of a POST: those of section 7, and `content_refused`, an extension. */
export const SUBMISSION_ERROR_CODES = [
  "invalid_json",
  "unsupported_type",
  "prompt_required",
  "prompt_too_long",
  "bad_model",
  "bad_video_model",
  "bad_music_model",
  "model_disabled",
  "model_not_supported_via_api",
  "bad_aspect_ratio",
  "bad_duration_sec",
  "bad_generation_mode",
  "reference_required",
  "bad_reference_url",
  "reference_url_must_be_https",
  "reference_url_not_allowed",
  "bad_music_description",
  "bad_music_lyrics",
  "bad_music_style",
  "content_refused",
  "insufficient_funds",
  "payload_too_large",
] as const;

/** All codes of section 7, and `account_banned`, an extension of this service. The HTTP edge maps each to a status. */
export const CONTRACT_ERROR_CODES = [
  ...SUBMISSION_ERROR_CODES,
  "bad_job_id",
  "account_banned",
  "api_key_required",
  "invalid_api_key",
  "job_not_found",
  "internal_error",
] as const;

export type ContractErrorCode = (typeof CONTRACT_ERROR_CODES)[number];

/** Extra fields of some errors. Amounts in rubles. */
export interface ContractErrorDetail {
  /** The field at fault, as the request names it: an extension of this service. */
  param?: string;
  allowed?: readonly (string | number)[];
  supported?: readonly string[];
  balance?: number;
  cost_rub?: number;
}

/** Refuses the request; nothing was changed. */
export class ContractError extends Error {
  override readonly name = "ContractError";
  constructor(
    readonly code: ContractErrorCode,
    readonly detail: ContractErrorDetail = {},
  ) {
    super(code);
  }
}

/** Tells that a service no longer knows a job, or no longer keeps a file of it. */
export function isJobNotFound(error: unknown): boolean {
  return error instanceof ContractError && error.code === "job_not_found";
}

/** `active`: as many orders are in work as a person may have; `minute`: as many came within a minute. Nothing was charged. */
export class TooManyOrdersError extends Error {
  override readonly name = "TooManyOrdersError";
  constructor(
    readonly reason: "active" | "minute",
    readonly max: number,
  ) {
    super(`too many orders: ${reason}`);
  }
}

/** Reports that the price differs from the one shown. Nothing was charged. */
export class PriceChanged extends Error {
  override readonly name = "PriceChanged";
  constructor(readonly actualKopecks: number) {
    super("price changed");
  }
}

/** `in_use`: the first request is not answered yet; `reused`: it had another body. Nothing was changed. */
export class IdempotencyConflictError extends Error {
  override readonly name = "IdempotencyConflictError";
  constructor(readonly reason: "in_use" | "reused") {
    super(`idempotency key ${reason}`);
  }
}

/** Reports that a paid submission may have been accepted. It must not be repeated. */
export class UncertainOutcome extends Error {
  override readonly name = "UncertainOutcome";
}

/** Reports that the process stops before an outcome is known. The next start continues the submission. */
export class SubmissionInterruptedError extends Error {
  override readonly name = "SubmissionInterruptedError";
}

/**
 * Reasons: `storage` is full or broken; `unreachable` is the service; `quota`: the account stores too many files;
 * `links_only`: pictures cannot be published; `account`: the person's own key is absent or refused; `moderation`: nobody
 * can judge the words.
 */
export type UnavailableReason = "storage" | "unreachable" | "quota" | "links_only" | "account" | "moderation";

/** Reports that nothing was accepted; a later try is safe. */
export class Unavailable extends Error {
  override readonly name = "Unavailable";
  constructor(
    readonly reason: UnavailableReason,
    options?: ErrorOptions,
  ) {
    super(`unavailable: ${reason}`, options);
  }
}
