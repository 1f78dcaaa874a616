import type { IncomingMessage } from "node:http";
import { z } from "zod";
import { SUBMISSION_ERROR_CODES } from "../../contract/errors.js";
import type { Accepted } from "../../contract/request.js";
import type { Api } from "../../jobs/api.js";
import { callerOf, type Endpoint, jsonSchemaOf, okSchema } from "./endpoint.js";
import { ApiError } from "./errors.js";
import { acceptedExamples, requestExamples } from "./examples.js";
import { JOB_ID, JOB_IDS, QUEUED, RUBLES } from "./schemas.js";

/* Documents the body of POST /generations. The core validates it, more leniently (sections 8 and 9). */

const text = (description: string) => z.string().describe(description).optional();
const links = (description: string) => z.array(z.string()).describe(description).optional();
const flag = (description: string) =>
  z
    .boolean()
    .describe(`${description}. The strings true/false, 1/0, yes/no and on/off are accepted too`)
    .optional();
const weight = z
  .number()
  .describe("Clamped to 0…1 and rounded to two decimals")
  .meta({ default: 0.65 })
  .optional();

const alias = (canonical: string) =>
  z.unknown().describe(`Another name of \`${canonical}\`, which wins`).meta({ deprecated: true }).optional();

const visual = {
  prompt: text("Trimmed. Its limit in characters depends on the model"),
  aspect_ratio: text("One of the model's. An unknown one is refused for images, and the default for videos"),
  resolution: text("One of the model's; an unknown one is replaced by its default"),
  prompt_text: alias("prompt"),
  ratio: alias("aspect_ratio"),
};
/** A non-blank prompt is required, under its name or its alias. */
const needsPrompt = {
  anyOf: ["prompt", "prompt_text"].map((name) => ({
    type: "object" as const,
    properties: { [name]: { type: "string" as const, pattern: "\\S" } },
    required: [name],
  })),
};
const modelKey = text("From GET /models. The default model may change: pass it");

const image = z
  .looseObject({
    type: z.literal("image").meta({ default: "image" }).optional(),
    model_key: modelKey,
    ...visual,
    generation_mode: text("One of the model's modes; ignored where it has none"),
    count: z
      .number()
      .describe("How many images: rounded down and clamped to 1…4")
      .meta({ default: 1 })
      .optional(),
    reference_urls: links(
      "Public HTTPS links to images, or unexpired results of this service; more than the model's limit are cut",
    ),
  })
  .meta({ title: "Image", ...needsPrompt });

const video = z
  .looseObject({
    type: z.literal("video"),
    model_key: modelKey,
    ...visual,
    duration_sec: z.number().describe("One of the model's").optional(),
    video_input_mode: z
      .enum(["text", "frames", "references"])
      .describe(
        "What the links are for. `text` ignores them all. `references` keeps `reference_urls` as they are. " +
          "`frames` and an absent mode fill missing frames first: where the model takes the frame, the first of " +
          "`reference_urls` becomes the missing start frame and the second the missing end frame. `frames` then " +
          "ignores what is left of them; an absent mode becomes `references` if any are left and the model has " +
          "that mode, else `frames` if there is a frame and the model has that mode, else `text`, or the " +
          "model's first mode where it lacks `text`. `references` uses the frames that are there too. `frames` without " +
          "a start frame and `references` without a link are refused with `reference_required`. A mode that the " +
          "model lacks counts as absent",
      )
      .optional(),
    video_speed_mode: z.enum(["standard", "fast"]).meta({ default: "standard" }).optional(),
    sound: flag("Whether the video has sound; it changes the price"),
    start_frame_url: text(
      "A link to the first frame. Absent, the first of `reference_urls` is taken, unless the mode is `references`",
    ),
    end_frame_url: text(
      "A link to the last frame. Absent, the second of `reference_urls` is taken, unless the mode is `references`",
    ),
    reference_urls: links(
      "Public HTTPS links to images, or unexpired results of this service; more than the model's limit are cut. " +
        "See `video_input_mode` for those that become frames",
    ),
    speed_mode: alias("video_speed_mode"),
    input_mode: alias("video_input_mode"),
    start_image_url: alias("start_frame_url"),
    image_url: alias("start_frame_url"),
    end_image_url: alias("end_frame_url"),
  })
  .meta({ title: "Video", ...needsPrompt });

const music = z
  .looseObject({
    type: z.literal("music"),
    model_key: text("From GET /models, with or without `music:`. The default model may change: pass it"),
    mode: z.enum(["description", "lyrics"]).meta({ default: "description" }).optional(),
    title: text("Trimmed, cut to 120 characters"),
    description: text("Needed in the mode `description`: 8 characters or more, cut to 1500"),
    lyrics: text("Needed in the mode `lyrics`: 20 characters or more, cut to 4000"),
    style_preset_id: text(
      "One of the catalogue's styles. In the mode `lyrics` this or a custom style is needed",
    ),
    custom_style: text("Takes priority over the preset; cut to 700 characters"),
    make_instrumental: flag("Music without a voice"),
    style_weight: weight,
    weirdness_constraint: weight,
    audio_weight: weight,
    duration_sec: z
      .int()
      .describe("10…360 seconds, of the model that takes it; anything else is 20")
      .optional(),
    model: alias("model_key"),
    stylePresetId: alias("style_preset_id"),
    customStyle: alias("custom_style"),
    makeInstrumental: alias("make_instrumental"),
    durationSec: alias("duration_sec"),
    styleWeight: alias("style_weight"),
    weirdnessConstraint: alias("weirdness_constraint"),
    audioWeight: alias("audio_weight"),
  })
  .meta({ title: "Music" });

/** Names of all fields that a request may have. */
export const FIELD_NAMES = [image, video, music].flatMap(({ shape }) => Object.keys(shape));

const REQUEST = jsonSchemaOf(z.union([image, video, music]));

const KEY = /^[\x20-\x7e]{1,255}$/;

/** Reads the key. Throws ApiError `bad_idempotency_key`, also if the header is repeated. */
function idempotencyKeyOf({ headersDistinct }: IncomingMessage): string | undefined {
  const values = headersDistinct["idempotency-key"];
  if (values === undefined) return undefined;
  const [key = ""] = values;
  if (values.length > 1 || !KEY.test(key)) throw new ApiError("bad_idempotency_key");
  return key;
}

/** Serves POST /generations (section 4.4). */
export function createGenerationEndpoint(api: Pick<Api, "submit" | "submitKeyed">): Endpoint {
  return {
    method: "POST",
    path: "/generations",
    operationId: "createGeneration",
    summary: "Submit a generation",
    description:
      "Checks the parameters, charges the cost and queues the work. Each POST without an `Idempotency-Key` " +
      "creates a new paid job: never repeat one automatically when its outcome is unknown. A refused request " +
      "changes nothing. The body is read as JSON in UTF-8 whatever its content type, at most 12 MB.",
    needsKey: true,
    headers: {
      "Idempotency-Key": {
        description:
          "An extension of this service. 1 to 255 printable ASCII characters that you choose, best a random " +
          "UUID for each request. With it the request is accepted at most once in 24 hours",
        schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[\\x20-\\x7e]+$" },
      },
    },
    body: { schema: REQUEST, examples: requestExamples },
    answer: {
      schema: okSchema(
        {
          job_id: { ...JOB_ID, description: "The job; with a count above 1 the first one" },
          job_ids: JOB_IDS,
          status: QUEUED,
          cost_rub: { ...RUBLES, description: "What was charged for the whole request" },
          unit_cost_rub: { ...RUBLES, description: "Images only: the price of one" },
        },
        ["job_ids", "unit_cost_rub"],
      ),
      examples: acceptedExamples,
      headers: {
        "Idempotent-Replayed": {
          description:
            "An extension of this service: `true` where an earlier request with the same `Idempotency-Key` was " +
            "accepted. The answer is the earlier one, and nothing was charged again",
          schema: { type: "string", const: "true" },
        },
      },
    },
    errors: [
      ...SUBMISSION_ERROR_CODES,
      "account_banned",
      "bad_idempotency_key",
      "idempotency_key_in_use",
      "idempotency_key_reused",
      "rate_limited",
      "service_unavailable",
    ],
    async handle(request, reply) {
      const { id: requestId, body, bodyFingerprint: fingerprint, raw } = request;
      const { accountId } = callerOf(request);
      const key = idempotencyKeyOf(raw);
      const { accepted, isReplayed } =
        key === undefined
          ? { accepted: await api.submit(accountId, body, requestId), isReplayed: false }
          : await api.submitKeyed({ accountId, key, body, fingerprint, requestId });
      request.jobIds = accepted.job_ids;
      if (isReplayed) reply.header("idempotent-replayed", "true");
      return answerOf(accepted);
    },
  };
}

function answerOf(accepted: Accepted): object {
  const { job_ids, ...rest } = accepted;
  return rest.unit_cost_rub === undefined ? { ok: true, ...rest } : { ok: true, job_ids, ...rest };
}
