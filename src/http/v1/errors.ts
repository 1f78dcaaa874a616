import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import {
  ContractError,
  type ContractErrorCode,
  type ContractErrorDetail,
  Unavailable,
} from "../../contract/errors.js";
import { answerError } from "../errors.js";

/** The codes that the HTTP edge adds to those of section 7. */
export type ApiErrorCode =
  | ContractErrorCode
  | "bad_request"
  | "not_found"
  | "method_not_allowed"
  | "request_timeout"
  | "uri_too_long"
  | "rate_limited"
  | "headers_too_large"
  | "service_unavailable";

export interface ApiErrorFacts {
  status: number;
  meaning: string;
  /** The fields beside `ok` and `error`, as in an answer. */
  example?: ContractErrorDetail;
}

/** Every error of the API: its status and what it means. */
export const API_ERRORS: Readonly<Record<ApiErrorCode, ApiErrorFacts>> = {
  invalid_json: { status: 400, meaning: "The body is not a JSON object in UTF-8" },
  unsupported_type: {
    status: 400,
    meaning: "Unknown `type`; the known ones are in `supported`",
    example: { supported: ["image", "video", "music"] },
  },
  prompt_required: { status: 400, meaning: "A non-empty prompt is required for an image or a video" },
  prompt_too_long: { status: 400, meaning: "The prompt exceeds the model's limit" },
  bad_model: {
    status: 400,
    meaning: "Unknown `model_key` of an image; the active ones are in `allowed`",
    example: { allowed: ["nano-banana-2"] },
  },
  bad_video_model: {
    status: 400,
    meaning: "Unknown `model_key` of a video; the active ones are in `allowed`",
    example: { allowed: ["veo-3-1"] },
  },
  bad_music_model: {
    status: 400,
    meaning: "Unknown `model_key` of music; the active ones are in `allowed`",
    example: { allowed: ["music:suno-v5"] },
  },
  model_disabled: { status: 400, meaning: "The model is disabled" },
  model_not_supported_via_api: {
    status: 400,
    meaning: "The model needs a scenario of the cabinet, for example an avatar with audio",
  },
  bad_aspect_ratio: {
    status: 400,
    meaning: "The model has no such aspect ratio; those it has are in `allowed`",
    example: { allowed: ["1:1", "16:9", "9:16"] },
  },
  bad_duration_sec: {
    status: 400,
    meaning: "The model has no such duration; those it has are in `allowed`",
    example: { allowed: [4, 6, 8] },
  },
  bad_generation_mode: {
    status: 400,
    meaning: "The model has no such generation mode; those it has are in `allowed`",
    example: { allowed: ["fast", "quality"] },
  },
  reference_required: {
    status: 400,
    meaning: "The model or its mode needs a start frame or a set of references",
  },
  bad_reference_url: { status: 400, meaning: "A reference is not a well-formed link" },
  reference_url_must_be_https: { status: 400, meaning: "Only HTTPS reference links are supported" },
  reference_url_not_allowed: { status: 400, meaning: "Local and internal-network addresses are forbidden" },
  bad_music_description: { status: 400, meaning: "The description needs at least 8 characters" },
  bad_music_lyrics: { status: 400, meaning: "The lyrics need at least 20 characters" },
  bad_music_style: {
    status: 400,
    meaning:
      "The style could not be determined: pass `custom_style` or one of `allowed` as `style_preset_id`",
    example: { allowed: ["pop", "rock", "jazz"] },
  },
  bad_job_id: { status: 400, meaning: "A positive job number or `music_<n>` is required" },
  bad_request: { status: 400, meaning: "The request could not be read as HTTP" },
  api_key_required: { status: 401, meaning: "No key was sent" },
  invalid_api_key: { status: 401, meaning: "The key does not exist, is revoked or mistyped" },
  insufficient_funds: {
    status: 402,
    meaning: "The balance is too low: `balance` and `cost_rub` say by how much",
    example: { balance: 5.5, cost_rub: 10 },
  },
  job_not_found: { status: 404, meaning: "The job does not exist or belongs to somebody else" },
  not_found: { status: 404, meaning: "There is no such path" },
  method_not_allowed: { status: 405, meaning: "The path takes other methods: the header `Allow` lists them" },
  request_timeout: { status: 408, meaning: "The request did not arrive within a minute" },
  payload_too_large: {
    status: 413,
    meaning: "The JSON exceeds 12 MB or 200000 values; pass links to files, not files or base64",
  },
  uri_too_long: { status: 414, meaning: "The URL is longer than 8192 characters" },
  rate_limited: {
    status: 429,
    meaning:
      "Too many POSTs with this key in a minute; nothing was charged. The header `Retry-After` says when",
  },
  headers_too_large: { status: 431, meaning: "The headers are larger than 16 KB" },
  internal_error: {
    status: 500,
    meaning: "Internal error; when the outcome of a POST is uncertain, do not retry automatically",
  },
  service_unavailable: {
    status: 503,
    meaning:
      "Nothing can be stored now; nothing was charged. The header `Retry-After` says when to try again",
  },
};

/** What any path may be answered with. */
export const SERVER_ERRORS: readonly ApiErrorCode[] = [
  "bad_request",
  "not_found",
  "method_not_allowed",
  "request_timeout",
  "uri_too_long",
  "headers_too_large",
  "internal_error",
];

/** The store is looked at again every 15 s while it is bad. */
const RETRY_AFTER_SEC = 15;

/** Answers what a route of the API threw. */
export function answerApiError(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  // Fastify would end the connection behind a body that it refused, and a client that still sends would see
  // a reset in place of the answer. Node reads the rest and throws it away, for as long as a request may take.
  reply.removeHeader("connection");
  if (error instanceof ContractError) {
    sendError(reply, error.code, error.detail);
  } else if (error instanceof Unavailable) {
    request.log.warn({ err: error, reqId: request.id }, "request refused");
    sendError(reply.header("retry-after", RETRY_AFTER_SEC), "service_unavailable");
  } else {
    answerError(error, request, reply);
  }
}

export function sendError(reply: FastifyReply, code: ApiErrorCode, detail?: ContractErrorDetail): void {
  reply.code(API_ERRORS[code].status).send({ ok: false, error: code, ...detail });
}
