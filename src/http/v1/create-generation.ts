import type { IncomingMessage } from "node:http";
import { z } from "zod";
import { SUBMISSION_ERROR_CODES } from "../../contract/errors.js";
import type { GenerationType } from "../../contract/model.js";
import type { Accepted } from "../../contract/request.js";
import type { Api } from "../../jobs/api.js";
import { typeIn } from "../../jobs/read-request.js";
import type { Budgets } from "../../platform/rate-limit.js";
import type { JsonBodies } from "../read-body.js";
import { FIELD_NAME_MAX, OTHER_FIELDS_MAX } from "../read-json.js";
import { authenticate, type Endpoint, type JsonSchema, jsonSchemaOf, okSchema } from "./endpoint.js";
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
/* Defaults are told in words: for types that are generated, a property with `default` is always there. */
const weight = z
  .number()
  .describe("Clamped to 0…1 and rounded to two decimals; 0.65 where it is absent")
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
/**
 * A non-blank prompt is required, under its name or its alias. It stands beside the other fields in `allOf`: types that
 * are generated of `anyOf` beside `properties` take anything.
 */
export const PROMPT: JsonSchema = {
  description: "A prompt that is not blank, under its name or its older one",
  anyOf: ["prompt", "prompt_text"].map((name) => ({
    title: name,
    type: "object" as const,
    properties: { [name]: { type: "string" as const, pattern: "\\S" } },
    required: [name],
  })),
};
const modelKey = text("From GET /models. The default model may change: pass it");

const image = z.looseObject({
  type: z.literal("image").describe("An absent type is `image`").optional(),
  model_key: modelKey,
  ...visual,
  generation_mode: text("One of the model's modes; ignored where it has none"),
  count: z
    .number()
    .describe("How many images: rounded down and clamped to 1…4; 1 where it is absent")
    .optional(),
  reference_urls: links(
    "Public HTTPS links to images, or unexpired results of this service; more than the model's limit are cut",
  ),
});

const video = z.looseObject({
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
  video_speed_mode: z
    .enum(["standard", "fast"])
    .describe("`standard` where it is absent; the price depends on it")
    .optional(),
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
});

const music = z.looseObject({
  type: z.literal("music"),
  model_key: text("From GET /models, with or without `music:`. The default model may change: pass it"),
  mode: z
    .enum(["description", "lyrics"])
    .describe("Which of the two texts the song is made of; `description` where it is absent")
    .optional(),
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
});

/** Names of the fields that a request may have, by its type. */
const FIELDS = {
  image: new Set(Object.keys(image.shape)),
  video: new Set(Object.keys(video.shape)),
  music: new Set(Object.keys(music.shape)),
} satisfies Record<GenerationType, ReadonlySet<string>>;
export const FIELD_NAMES: ReadonlySet<string> = new Set(Object.values(FIELDS).flatMap((names) => [...names]));

/** Lists the fields that no parameter of the body's type reads; of an unknown type, those of no type. */
function ignoredFields(body: object): readonly string[] {
  const type = typeIn(body);
  const known = type ? FIELDS[type] : FIELD_NAMES;
  const ignored = Object.keys(body).filter((name) => !known.has(name));
  return ignored.slice(0, OTHER_FIELDS_MAX).map(headerName);
}

/** Percent-encodes a name in UTF-8 for a header, and cuts it between characters: what a stranger named breaks no answer. */
function headerName(name: string): string {
  let encoded = "";
  for (const character of name.slice(0, FIELD_NAME_MAX).toWellFormed()) {
    const next = encoded + encodeURIComponent(character);
    if (next.length > FIELD_NAME_MAX) break;
    encoded = next;
  }
  return encoded || '""';
}

const KINDS: Readonly<Record<string, JsonSchema>> = {
  ImageRequest: { title: "Image", allOf: [jsonSchemaOf(image), PROMPT] },
  VideoRequest: { title: "Video", allOf: [jsonSchemaOf(video), PROMPT] },
  MusicRequest: { title: "Music", ...jsonSchemaOf(music) },
};

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
export function createGenerationEndpoint(
  api: Pick<Api, "authenticate" | "submit" | "submitKeyed">,
  bodies: JsonBodies,
  limit: Budgets<number> | undefined,
): Endpoint {
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
    body: { name: "GenerationRequest", kinds: KINDS, examples: requestExamples },
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
        "X-Ignored-Fields": {
          description:
            "An extension of this service, also where the request was refused: the fields of the body that its " +
            "type does not have, as `name, name`, at most 20 of 64 characters, percent-encoded",
          schema: { type: "string" },
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
      const { id: requestId, raw } = request;
      const { accountId } = authenticate(api, request);
      const waitMs = limit?.take(accountId) ?? 0;
      if (waitMs > 0) throw new ApiError("rate_limited", Math.max(1, Math.ceil(waitMs / 1000)));
      const { json: body, fingerprint } = await bodies.read(raw, reply.raw, accountId);
      // A body may take a minute, and its key may be revoked meanwhile.
      authenticate(api, request);
      const ignored = ignoredFields(body);
      if (ignored.length > 0) reply.header("x-ignored-fields", ignored.join(", "));
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
