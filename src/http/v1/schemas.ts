import { z } from "zod";
import { JOB_STATUSES } from "../../contract/job.js";
import { GENERATION_TYPES } from "../../contract/model.js";
import { jsonSchemaOf } from "./endpoint.js";

/* Resources of section 2. They shape /openapi.json, and validate responses in tests. */

const rubles = z.number().min(0);
const musicId = z.string().regex(/^music_[1-9]\d*$/);
const link = z.string().nullable();

export const jobId = z
  .union([z.int().min(1), musicId])
  .describe("A number for an image or a video, `music_<n>` for music")
  .meta({ examples: [1201, "music_77"] });

export const BALANCE = jsonSchemaOf(
  z.object({
    currency: z.literal("RUB"),
    amount: rubles.describe("Available rubles; may be fractional"),
  }),
);

const parameterType = z.enum(["string", "integer", "number", "boolean", "array<string>"]);
const parameterValue = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);
const parameter = z
  .object({
    type: parameterType,
    required: z.boolean().describe("Conditional requirements are stated in `note`"),
    values: z
      .array(z.union([z.string(), z.number()]))
      .optional()
      .describe("The allowed values of an enumeration"),
    min: z.number().optional().describe("The least number, or the least length in characters"),
    max: z
      .number()
      .optional()
      .describe("The largest number, the largest length in characters, or the most elements of an array"),
    default: parameterValue
      .nullable()
      .optional()
      .describe("The value that counts when the parameter is absent"),
    note: z.string().optional().describe("Further conditions"),
  })
  .meta({ title: "Parameter" });

const factors = z
  .object({
    sound: z.number().optional().describe("The factor of `sound: true`"),
    fast: z.number().optional().describe("The factor of `video_speed_mode: fast`"),
  })
  .meta({ title: "PriceFactors" });

const about = z.object({ en: z.string(), ru: z.string() }).meta({ title: "About" });

const row = z.record(z.string(), rubles);
const price = z
  .union([rubles, row, z.record(z.string(), row), z.record(z.string(), z.record(z.string(), row))])
  .describe(
    "Rubles. A number is a fixed price. A table is resolution → price (image), generation_mode → `text` or " +
      "`reference` → resolution → price (image with modes), resolution → duration_sec → price or " +
      "duration_sec → price (video). A video's table is without sound and at standard speed.",
  );

export const MODEL = jsonSchemaOf(
  z.object({
    type: z.enum(GENERATION_TYPES),
    model_key: z.string().describe("The key for POST /generations; music keys begin with `music:`"),
    title: z
      .string()
      .describe(
        "The name to show. It ends in `(local preview)` while this service makes the files itself, in the " +
          "model's place",
      ),
    price_rub: price,
    defaults: z.record(z.string(), parameterValue.nullable()).describe("null: no setting"),
    parameters: z
      .record(z.string(), parameter.nullable())
      .describe("Parameter → its description; null: the model lacks it"),
    about: about.describe(
      "An extension of this service: one line on what the model is good at, in English and in Russian",
    ),
    price_factors: factors
      .optional()
      .describe(
        "An extension of this service, where sound or fast mode change the price of a video: the price of the " +
          "table is multiplied by every factor that applies, and the product rounded up to a whole ruble",
      ),
    successor: z
      .string()
      .optional()
      .describe(
        "An extension of this service: the key of the model that takes this one's place. This one is still taken",
      ),
  }),
);

const track = z
  .object({
    index: z.int().min(1),
    title: z.string(),
    duration: z.number().nullable().describe("Seconds, if known"),
    url: link.describe("A temporary link to the audio; null once it is no longer kept"),
    mime: z.string(),
    image_url: link.describe("A temporary link to the cover"),
  })
  .meta({ title: "Track" });

const result = z
  .object({
    url: link.describe("A link to the file, valid for 1 hour from this answer; for music the first track"),
    mime: z.string().nullable(),
    tracks: z.array(track).optional().describe("Music only: every track of the job"),
  })
  .meta({ title: "Result" });

export const JOB = jsonSchemaOf(
  z.object({
    job_id: jobId,
    type: z.enum(GENERATION_TYPES),
    status: z.enum(JOB_STATUSES).describe("On any status that you do not know, go on polling"),
    model: z
      .string()
      .nullable()
      .describe("The internal code; may differ from the `model_key` of the request"),
    model_title: z.string().nullable(),
    aspect_ratio: z.string().nullable().optional().describe("Absent for music"),
    duration_sec: z
      .number()
      .nullable()
      .optional()
      .describe("The requested seconds of a video, null for an image; absent for music"),
    cost_rub: rubles.describe("The cost of this job; unchanged where it was given back"),
    result: result.nullable().describe("null until a file is available"),
    error: z.string().nullable().describe("Why the job failed; null when it did not"),
    created_at: z.string().nullable().describe("ISO 8601 with milliseconds and `Z`"),
    refunded: z
      .boolean()
      .optional()
      .describe(
        "An extension of this service, only in a job with the status `error`: whether its cost was given back",
      ),
  }),
);

export const JOB_ID = jsonSchemaOf(jobId);
export const JOB_IDS = jsonSchemaOf(
  z.array(z.int().min(1)).describe("Images only: every job of the request, also with a count of 1"),
);
export const QUEUED = jsonSchemaOf(z.literal("queued"));
export const RUBLES = jsonSchemaOf(rubles);

export const ERROR = jsonSchemaOf(
  z.object({
    ok: z.literal(false),
    error: z.string().describe("The code to act upon"),
    message: z.string().describe("An extension of this service: what is wrong, in English, for developers"),
    param: z
      .string()
      .optional()
      .describe(
        "An extension of this service, where one field is at fault: its name, as the request has it, or " +
          "the canonical one where a service refuses a value. `id` is the one " +
          "in the path",
      ),
    allowed: z
      .array(z.union([z.string(), z.number()]))
      .optional()
      .describe("Allowed values, where relevant"),
    supported: z.array(z.string()).optional().describe("Supported types, with `unsupported_type`"),
    balance: rubles.optional().describe("With `insufficient_funds`"),
    cost_rub: rubles.optional().describe("With `insufficient_funds`"),
  }),
);
