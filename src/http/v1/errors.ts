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
  example?: ContractErrorDetail;
}

export const API_ERRORS: Readonly<Record<ApiErrorCode, ApiErrorFacts>> = {
  ...HTTP_ERRORS,
  invalid_json: { status: 400, meaning: "The body is not a JSON object in UTF-8" },
  unsupported_type: {
    status: 400,
    meaning: "Unknown `type`; the known ones are in `supported`",
    example: { supported: ["image", "video", "music"], param: "type" },
  },
  prompt_required: {
    status: 400,
    meaning: "A non-empty prompt is required for an image or a video",
    example: { param: "prompt" },
  },
  prompt_too_long: {
    status: 400,
    meaning: "The prompt exceeds the model's limit",
    example: { param: "prompt" },
  },
  bad_model: {
    status: 400,
    meaning: "Unknown `model_key` of an image; the active ones are in `allowed`",
    example: { allowed: ["nano-banana-2"], param: "model_key" },
  },
  bad_video_model: {
    status: 400,
    meaning: "Unknown `model_key` of a video; the active ones are in `allowed`",
    example: { allowed: ["veo-3-1"], param: "model_key" },
  },
  bad_music_model: {
    status: 400,
    meaning: "Unknown `model_key` of music; the active ones are in `allowed`",
    example: { allowed: ["music:suno-v5"], param: "model_key" },
  },
  model_disabled: {
    status: 400,
    meaning: "The model is disabled, or nothing that makes it takes this value of `param` now",
    example: { param: "model_key" },
  },
  model_not_supported_via_api: {
    status: 400,
    meaning: "The model needs a scenario of the cabinet, for example an avatar with audio",
    example: { param: "model_key" },
  },
  bad_aspect_ratio: {
    status: 400,
    meaning: "The model has no such aspect ratio; those it has are in `allowed`",
    example: { allowed: ["1:1", "16:9", "9:16"], param: "aspect_ratio" },
  },
  bad_duration_sec: {
    status: 400,
    meaning: "The model has no such duration; those it has are in `allowed`",
    example: { allowed: [4, 6, 8], param: "duration_sec" },
  },
  bad_generation_mode: {
    status: 400,
    meaning: "The model has no such generation mode; those it has are in `allowed`",
    example: { allowed: ["fast", "quality"], param: "generation_mode" },
  },
  reference_required: {
    status: 400,
    meaning: "The model or its mode needs a start frame or a set of references",
    example: { param: "start_frame_url" },
  },
  bad_reference_url: {
    status: 400,
    meaning: "A reference is not a well-formed link",
    example: { param: "reference_urls" },
  },
  reference_url_must_be_https: {
    status: 400,
    meaning: "Only HTTPS reference links are supported",
    example: { param: "reference_urls" },
  },
  reference_url_not_allowed: {
    status: 400,
    meaning: "Local and internal-network addresses are forbidden",
    example: { param: "reference_urls" },
  },
  bad_music_description: {
    status: 400,
    meaning: "The description needs at least 8 characters",
    example: { param: "description" },
  },
  bad_music_lyrics: {
    status: 400,
    meaning: "The lyrics need at least 20 characters",
    example: { param: "lyrics" },
  },
  bad_music_style: {
    status: 400,
    meaning:
      "The style could not be determined: pass `custom_style` or one of `allowed` as `style_preset_id`",
    example: { allowed: ["pop", "rock", "jazz"], param: "style_preset_id" },
  },
  content_refused: {
    status: 400,
    meaning: "The operator's rules refuse the words of the request",
  },
  bad_job_id: {
    status: 400,
    meaning: "A positive job number or `music_<n>` is required",
    example: { param: "id" },
  },
  bad_idempotency_key: {
    status: 400,
    meaning: "`Idempotency-Key` is not one value of 1 to 255 printable ASCII characters",
  },
  api_key_required: { status: 401, meaning: "No key was sent" },
  invalid_api_key: { status: 401, meaning: "The key does not exist, is revoked or mistyped" },
  insufficient_funds: {
    status: 402,
    meaning: "The balance is too low: `balance` and `cost_rub` say by how much",
    example: { balance: 5.5, cost_rub: 10 },
  },
  account_banned: {
    status: 403,
    meaning: "The account may not order. Its balance, jobs and files stay as they are",
  },
  job_not_found: { status: 404, meaning: "The job does not exist or belongs to somebody else" },
  idempotency_key_in_use: {
    status: 409,
    meaning: "The first request with this `Idempotency-Key` is not answered yet: repeat it a little later",
  },
  payload_too_large: {
    status: 413,
    meaning: "The JSON exceeds 12 MB or 200000 values; pass links to files, not files or base64",
  },
  idempotency_key_reused: {
    status: 422,
    meaning: "A request with this `Idempotency-Key` was accepted with another body; take a new key",
  },
  rate_limited: {
    status: 429,
    meaning:
      "Too many POSTs of this account in a minute, or too much in large bodies at once; nothing was charged. " +
      "The header `Retry-After` says when to try again",
  },
  service_unavailable: {
    status: 503,
    meaning:
      "Nothing can be stored or judged now, or too many large bodies are on the way; nothing was charged. The header " +
      "`Retry-After` says when to try again",
  },
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
