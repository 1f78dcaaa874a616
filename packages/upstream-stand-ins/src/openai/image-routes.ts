import { createHash } from "node:crypto";
import { type Answer, type Call, json } from "../call.js";
import type { DialectRoute, Submission } from "../dialect.js";
import type { Json } from "../json.js";
import { textOf } from "../json.js";
import { judge, type Problem } from "../judge.js";
import type { Model } from "../model.js";
import { looksLikePicture } from "../references.js";
import type { UpstreamState } from "../state.js";
import type { Task } from "../task.js";
import { EDIT, GENERATION, resolved } from "./schema.js";

/*
 * Source: openai/openai-openapi, openapi.json. One POST is the whole task: the answer holds the pictures, there is no
 * id to ask for, and a parameter that is not known is refused.
 */

const PICTURE_MIMES: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/webp"]);
const IMAGES_MAX = 16;

export function failure(
  status: number,
  code: string | null,
  message: string,
  type = "invalid_request_error",
): Answer {
  return json(status, { error: { message, type, param: null, code } });
}

export const MODERATION_BLOCKED = failure(
  400,
  "moderation_blocked",
  "Your request was rejected by the safety system. safety_violations=[violence].",
  "image_generation_user_error",
);

export function generationRoute(state: UpstreamState): DialectRoute {
  return {
    kind: "submit",
    read: ({ json: body }) =>
      body ? submissionOf(GENERATION, body, body) : failure(400, null, "We could not parse the JSON body."),
    accepted: (task) => answerOf(state, task),
    withoutId: json(200, { created: 0, data: [] }),
  };
}

export function editRoute(state: UpstreamState): DialectRoute {
  return {
    kind: "submit",
    read: (call) => readEdit(call),
    accepted: (task) => answerOf(state, task),
    withoutId: json(200, { created: 0, data: [] }),
  };
}

function submissionOf(model: Model, input: Json, body: Json): Submission {
  const judgement = judge(model.schema, input, model.rules);
  const [problem] = judgement.problems;
  const [unknown] = judgement.unknown;
  return {
    api: "images",
    endpoint: textOf(input.model) ?? "",
    input,
    body,
    model,
    judgement,
    refused: problem ? refusalOf(problem) : unknown === undefined ? undefined : unknownParameter(unknown),
  };
}

function unknownParameter(name: string): Answer {
  return failure(400, "unknown_parameter", `Unknown parameter: '${name}'.`);
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
