import { createHash } from "node:crypto";
import { z } from "zod";
import { type Answer, bearerOf, type Call, choice, flag, type Json, json, text, textOf } from "./call.js";
import { type Dialect, type DialectRoute, plain, type Submission } from "./dialect.js";
import { judge, type Problem, type Rule } from "./judge.js";
import { imageFormat, images, type Model } from "./model.js";
import { looksLikePicture } from "./references.js";
import type { UpstreamState } from "./state.js";
import type { Task } from "./task.js";

/*
 * Source: openai/openai-openapi, openapi.json (CreateImageRequest, CreateImageEditRequest), and recorded answers:
 * any size of whole sixteens from gpt-image-2 on, within limits of sides, shape and pixels.
 */

const SIZE = /^(\d+)x(\d+)$/;
const SIDE_MAX = 3840;
const RATIO_MAX = 3;
const PIXELS_MIN = 655_360;
const PIXELS_MAX = 8_294_400;
const QUALITY_USD: Readonly<Record<string, number>> = { low: 0.011, medium: 0.042, high: 0.167 };

const sizeFits: Rule = ({ size }) => {
  if (size === undefined || size === "auto") return undefined;
  const sides = sidesOf(size);
  if (!sides) return { field: "size", kind: "rule", expected: "WIDTHxHEIGHT" };
  const [long, short] = [Math.max(...sides), Math.min(...sides)];
  const [width, height] = sides;
  if (width % 16 !== 0 || height % 16 !== 0)
    return { field: "size", kind: "rule", expected: "sides divisible by 16" };
  if (long > SIDE_MAX) return { field: "size", kind: "rule", expected: `sides up to ${SIDE_MAX}` };
  if (long / short > RATIO_MAX) return { field: "size", kind: "rule", expected: "a shape of at most 3:1" };
  const pixels = width * height;
  if (pixels >= PIXELS_MIN && pixels <= PIXELS_MAX) return undefined;
  return { field: "size", kind: "rule", expected: `from ${PIXELS_MIN} to ${PIXELS_MAX} pixels` };
};

const noTransparentJpeg: Rule = ({ background, output_format: format }) =>
  background === "transparent" && format === "jpeg"
    ? { field: "background", kind: "rule", expected: "png or webp for transparent" }
    : undefined;

function sidesOf(size: unknown): [number, number] | undefined {
  const [, width, height] = SIZE.exec(String(size)) ?? [];
  return width === undefined || height === undefined ? undefined : [Number(width), Number(height)];
}

/** What is used where a request leaves it open. */
function resolved(input: Json): {
  size: string;
  quality: string;
  background: string;
  output_format: string;
} {
  const or = (value: unknown, otherwise: string) =>
    typeof value === "string" && value !== "auto" ? value : otherwise;
  return {
    size: or(input.size, "1024x1024"),
    quality: or(input.quality, "medium"),
    background: or(input.background, "opaque"),
    output_format: or(input.output_format, "png"),
  };
}

const shape = {
  model: z.enum(["gpt-image-2.5-flare", "gpt-image-2.5-sunburst"]),
  prompt: text(32_000),
  n: z.int().min(1).max(10).optional(),
  size: z.string().optional(),
  quality: choice("low", "medium", "high", "auto"),
  background: choice("transparent", "opaque", "auto"),
  output_format: choice("png", "jpeg", "webp"),
  output_compression: z.int().min(0).max(100).optional(),
  stream: flag,
  partial_images: z.int().min(0).max(3).optional(),
  user: z.string().optional(),
};

function model(schema: z.ZodObject): Model {
  return {
    schema,
    rules: [sizeFits, noTransparentJpeg],
    results(input) {
      const { size, output_format: asked } = resolved(input);
      const [width, height] = sidesOf(size) ?? [1024, 1024];
      return images(input, { width, height }, imageFormat(asked, "png"), input.n);
    },
    units: (input) =>
      (typeof input.n === "number" ? input.n : 1) * (QUALITY_USD[resolved(input).quality] ?? 0.042),
  };
}

const GENERATION = model(z.object({ ...shape, moderation: choice("low", "auto") }));
const EDIT = model(z.object(shape));

/*
 * Source: openai/openai-openapi, openapi.json. One POST is the whole task: the answer holds the pictures, there is no
 * id to ask for, and a parameter that is not known is refused.
 */

const PICTURE_MIMES: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/webp"]);
const IMAGES_MAX = 16;

function failure(
  status: number,
  code: string | null,
  message: string,
  type = "invalid_request_error",
): Answer {
  return json(status, { error: { message, type, param: null, code } });
}

const MODERATION_BLOCKED = failure(
  400,
  "moderation_blocked",
  "Your request was rejected by the safety system. safety_violations=[violence].",
  "image_generation_user_error",
);

function submitRoute(state: UpstreamState, read: (call: Call) => Submission | Answer): DialectRoute {
  return {
    kind: "submit",
    read,
    accepted: (task) => answerOf(state, task),
    withoutId: json(200, { created: 0, data: [] }),
  };
}

function readGeneration({ json: body }: Call): Submission | Answer {
  return body
    ? submissionOf(GENERATION, body, body)
    : failure(400, null, "We could not parse the JSON body.");
}

function submissionOf(model: Model, input: Json, body: Json): Submission {
  const judgement = judge(model, input);
  const [problem] = judgement.problems;
  const [unknown] = judgement.unknown;
  return {
    api: "images",
    endpoint: textOf(input.model) ?? "",
    input,
    body,
    model,
    judgement,
    refused: problem
      ? refusalOf(problem)
      : unknown === undefined
        ? undefined
        : failure(400, "unknown_parameter", `Unknown parameter: '${unknown}'.`),
  };
}

function refusalOf({ field, kind, expected }: Problem): Answer {
  if (kind === "missing")
    return failure(400, "missing_required_parameter", `Missing required parameter: '${field}'.`);
  return failure(400, "invalid_value", `Invalid value for '${field}': expected ${expected}.`);
}

/** The fields of a form are texts; numbers among them are read as such. */
function readEdit({ json: fields = {}, files }: Call): Submission | Answer {
  const numbers = ["n", "output_compression", "partial_images"].filter((name) => fields[name] !== undefined);
  const input = { ...fields, ...Object.fromEntries(numbers.map((name) => [name, Number(fields[name])])) };
  const pictures = files.filter(({ name }) => name === "image" || name === "image[]");
  const names = pictures.map(({ name }) => name);
  if (names.length === 0)
    return failure(400, "missing_required_parameter", "Missing required parameter: 'image'.");
  if (names.length > 1 && names.includes("image"))
    return failure(400, "invalid_value", "Duplicate parameter: 'image'.");
  if (names.length > IMAGES_MAX) return failure(400, "invalid_value", "Too many images.");
  const wrong = pictures.find(({ mime, bytes }) => !PICTURE_MIMES.has(mime) || !looksLikePicture(bytes));
  if (wrong) {
    const message = `Invalid file '${wrong.fileName}': unsupported mimetype ('${wrong.mime}').`;
    return failure(400, "unsupported_file_mimetype", message);
  }
  const digests = pictures.map(({ bytes }) => createHash("sha256").update(bytes).digest("hex"));
  return submissionOf(EDIT, input, { ...input, images: pictures.length, digests });
}

async function answerOf(state: UpstreamState, task: Task): Promise<Answer> {
  await state.ended(task);
  if (task.outcome.kind === "policy") return MODERATION_BLOCKED;
  if (task.outcome.kind !== "made") {
    return failure(500, null, "The server had an error while processing your request.", "server_error");
  }
  const files = await Promise.all(task.files.map((file) => state.files.make(file, task.service)));
  const [textTokens, outputTokens] = [Math.ceil(String(task.input.prompt).length / 4), 1056 * files.length];
  return json(200, {
    created: Math.floor(task.acceptedAt / 1000),
    ...resolved(task.input),
    data: files.map((bytes) => ({ b64_json: bytes.toString("base64") })),
    usage: {
      input_tokens: textTokens,
      output_tokens: outputTokens,
      total_tokens: textTokens + outputTokens,
      input_tokens_details: { text_tokens: textTokens, image_tokens: 0 },
    },
  });
}

/** Images of api.openai.com. A spent budget is 400, which looks like a refused request. */
export function openaiDialect(state: UpstreamState): Dialect {
  const throttled = failure(
    429,
    "rate_limit_exceeded",
    "Rate limit reached for images per minute.",
    "requests",
  );
  return {
    name: "openai",
    currency: "USD",
    routes: {
      "POST /v1/images/generations": submitRoute(state, readGeneration),
      "POST /v1/images/edits": submitRoute(state, readEdit),
      "GET /v1/models": plain(() => json(200, { object: "list", data: [] })),
    },
    keyOf: bearerOf,
    refusals: {
      "rate-limited": throttled,
      maintenance: failure(503, null, "The engine is currently overloaded.", "server_error"),
      "policy-at-submit": MODERATION_BLOCKED,
      "no-credit": failure(400, "billing_hard_limit_reached", "Billing hard limit has been reached."),
      locked: failure(403, null, "Your organization must be verified to use this model."),
      "wrong-key": failure(401, "invalid_api_key", "Incorrect API key provided."),
    },
    tooManyQueries: throttled,
  };
}
