import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import {
  ContractError,
  type ContractErrorCode,
  type ContractErrorDetail,
  IdempotencyConflictError,
  Unavailable,
} from "../../contract/errors.js";
import { answerError, errorBody, HTTP_ERRORS } from "../errors.js";

export type ApiErrorCode =
  | ContractErrorCode
  | "bad_idempotency_key"
  | "idempotency_key_in_use"
  | "idempotency_key_reused"
  | "rate_limited"
  | "service_unavailable"
  | keyof typeof HTTP_ERRORS;

interface ApiErrorFacts {
  status: number;
  meaning: string;
}

export const API_ERRORS: Readonly<Record<ApiErrorCode, ApiErrorFacts>> = {
  ...HTTP_ERRORS,
  ...refusals(400, {
    invalid_json: "The body is not a JSON object in UTF-8",
    unsupported_type: "Unknown `type`; the known ones are in `supported`",
    prompt_required: "A non-empty prompt is required for an image or a video",
    prompt_too_long: "The prompt exceeds the model's limit",
    bad_model: "Unknown `model_key` of an image; the active ones are in `allowed`",
    bad_video_model: "Unknown `model_key` of a video; the active ones are in `allowed`",
    bad_music_model: "Unknown `model_key` of music; the active ones are in `allowed`",
    model_disabled: "The model is disabled, or nothing that makes it takes this value of `param` now",
    model_not_supported_via_api:
      "The model needs a scenario of the cabinet, for example an avatar with audio",
    bad_aspect_ratio: "The model has no such aspect ratio; those it has are in `allowed`",
    bad_duration_sec: "The model has no such duration; those it has are in `allowed`",
    bad_generation_mode: "The model has no such generation mode; those it has are in `allowed`",
    reference_required: "The model or its mode needs a start frame or a set of references",
    bad_reference_url: "A reference is not a well-formed link",
    reference_url_must_be_https: "Only HTTPS reference links are supported",
    reference_url_not_allowed: "Local and internal-network addresses are forbidden",
    bad_music_description: "The description needs at least 8 characters",
    bad_music_lyrics: "The lyrics need at least 20 characters",
    bad_music_style:
      "The style could not be determined: pass `custom_style` or one of `allowed` as `style_preset_id`",
    content_refused: "The operator's rules refuse the words of the request",
    bad_job_id: "A positive job number or `music_<n>` is required",
    bad_idempotency_key: "`Idempotency-Key` is not one value of 1 to 255 printable ASCII characters",
  }),
  ...refusals(401, {
    api_key_required: "No key was sent",
    invalid_api_key: "The key does not exist, is revoked or mistyped",
  }),
  ...refusals(402, {
    insufficient_funds: "The balance is too low: `balance` and `cost_rub` say by how much",
  }),
  ...refusals(403, {
    account_banned: "The account may not order. Its balance, jobs and files stay as they are",
  }),
  ...refusals(404, {
    job_not_found: "The job does not exist or belongs to somebody else",
  }),
  ...refusals(409, {
    idempotency_key_in_use:
      "The first request with this `Idempotency-Key` is not answered yet: repeat it a little later",
  }),
  ...refusals(413, {
    payload_too_large: "The JSON exceeds 12 MB or 200000 values; pass links to files, not files or base64",
  }),
  ...refusals(422, {
    idempotency_key_reused:
      "A request with this `Idempotency-Key` was accepted with another body; take a new key",
  }),
  ...refusals(429, {
    rate_limited:
      "Too many POSTs of this account in a minute, or too much in large bodies at once; nothing was charged. " +
      "The header `Retry-After` says when to try again",
  }),
  ...refusals(503, {
    service_unavailable:
      "Nothing can be stored or judged now, or too many large bodies are on the way; nothing was charged. The header " +
      "`Retry-After` says when to try again",
  }),
};

function refusals<Code extends string>(status: number, meanings: Readonly<Record<Code, string>>) {
  const facts = Object.entries<string>(meanings).map(([code, meaning]) => [code, { status, meaning }]);
  return Object.fromEntries(facts) as Record<Code, ApiErrorFacts>;
}

/** What the examples of the reference have besides a code and its meaning. */
export const ERROR_EXAMPLES: Readonly<Partial<Record<ApiErrorCode, ContractErrorDetail>>> = {
  unsupported_type: { supported: ["image", "video", "music"], param: "type" },
  prompt_required: { param: "prompt" },
  prompt_too_long: { param: "prompt" },
  bad_model: { allowed: ["nano-banana-2"], param: "model_key" },
  bad_video_model: { allowed: ["veo-3-1"], param: "model_key" },
  bad_music_model: { allowed: ["music:suno-v5"], param: "model_key" },
  model_disabled: { param: "model_key" },
  model_not_supported_via_api: { param: "model_key" },
  bad_aspect_ratio: { allowed: ["1:1", "16:9", "9:16"], param: "aspect_ratio" },
  bad_duration_sec: { allowed: [4, 6, 8], param: "duration_sec" },
  bad_generation_mode: { allowed: ["fast", "quality"], param: "generation_mode" },
  reference_required: { param: "start_frame_url" },
  bad_reference_url: { param: "reference_urls" },
  reference_url_must_be_https: { param: "reference_urls" },
  reference_url_not_allowed: { param: "reference_urls" },
  bad_music_description: { param: "description" },
  bad_music_lyrics: { param: "lyrics" },
  bad_music_style: { allowed: ["pop", "rock", "jazz"], param: "style_preset_id" },
  bad_job_id: { param: "id" },
  insufficient_funds: { balance: 5.5, cost_rub: 10 },
};

export const SERVER_ERRORS: readonly ApiErrorCode[] = [
  "bad_request",
  "not_found",
  "method_not_allowed",
  "request_timeout",
  "uri_too_long",
  "headers_too_large",
  "internal_error",
];

/** Thrown when the HTTP edge refused the request; nothing was changed. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  constructor(
    readonly code: ApiErrorCode,
    readonly retryAfterSec?: number,
  ) {
    super(code);
  }
}

/** Seconds between checks of the state of the store. */
const RETRY_AFTER_SEC = 15;

export function answerApiError(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  if (error instanceof ContractError) {
    sendError(reply, error.code, error.detail);
  } else if (error instanceof ApiError) {
    if (error.retryAfterSec !== undefined) reply.header("retry-after", error.retryAfterSec);
    sendError(reply, error.code);
  } else if (error instanceof IdempotencyConflictError) {
    sendError(reply, `idempotency_key_${error.reason}`);
  } else if (error instanceof Unavailable) {
    request.log.warn({ err: error, reqId: request.id }, "request refused");
    sendError(reply.header("retry-after", RETRY_AFTER_SEC), "service_unavailable");
  } else {
    answerError(error, request, reply);
  }
}

function sendError(reply: FastifyReply, code: ApiErrorCode, detail?: ContractErrorDetail): void {
  const { status, meaning } = API_ERRORS[code];
  if (status === 401) reply.header("www-authenticate", "Bearer");
  reply.code(status).send({ ...errorBody(code, meaning), ...detail });
}
