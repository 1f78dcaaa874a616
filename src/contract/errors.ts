/** The error codes of section 7 by which the body of a POST is refused. */
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
  "insufficient_funds",
  "payload_too_large",
] as const;

/** Every error code of section 7 that refuses a request. The HTTP edge gives each its status. */
export const CONTRACT_ERROR_CODES = [
  ...SUBMISSION_ERROR_CODES,
  "bad_job_id",
  "api_key_required",
  "invalid_api_key",
  "job_not_found",
  "internal_error",
] as const;

export type ContractErrorCode = (typeof CONTRACT_ERROR_CODES)[number];

/** The fields that the contract adds to some errors. Amounts in rubles. */
export interface ContractErrorDetail {
  allowed?: readonly (string | number)[];
  supported?: readonly string[];
  balance?: number;
  cost_rub?: number;
}

/** The service refused a request, and nothing was changed. */
export class ContractError extends Error {
  override readonly name = "ContractError";
  constructor(
    readonly code: ContractErrorCode,
    readonly detail: ContractErrorDetail = {},
  ) {
    super(code);
  }
}

/** The price is another one than the person was shown. Nothing was charged. */
export class PriceChanged extends Error {
  override readonly name = "PriceChanged";
  constructor(readonly actualKopecks: number) {
    super("price changed");
  }
}

/** A paid submission may or may not have been accepted. It must not be repeated. */
export class UncertainOutcome extends Error {
  override readonly name = "UncertainOutcome";
}

/**
 * Why nothing can be accepted now: the store of files is full or broken, the service is out of reach, or the
 * account has more files in the store than it may have.
 */
export type UnavailableReason = "storage" | "unreachable" | "quota";

/** Nothing was accepted, and a later try is safe. */
export class Unavailable extends Error {
  override readonly name = "Unavailable";
  constructor(
    readonly reason: UnavailableReason,
    options?: ErrorOptions,
  ) {
    super(`unavailable: ${reason}`, options);
  }
}
