import { z } from "zod";
import { type Answer, bearerOf, type Call, choice, isRecord, type Json, json, text, textOf } from "./call.js";
import { type Dialect, free, plain, type Submission, upload } from "./dialect.js";
import { fileUrl } from "./download.js";
import { imageSides, videoSides } from "./files.js";
import { judge, type Problem, type Rule } from "./judge.js";
import { aboutOf, film, images, type Model, secondsOf } from "./model.js";
import type { UpstreamState } from "./state.js";
import { type Phase, phaseOf, type Task } from "./task.js";

/*
 * Sources: https://polza.ai/docs/api-reference/media/create.md, guides https://polza.ai/docs/gaidy/{nanobanano,veo-3-1,
 * kling-3,seedream-5-lite,suno-music}.md, prices https://polza.ai/models/MODEL. The model pages show parameters of a template, and the
 * guide of Suno names its parameters in words only: there the names of kie are taken, whose models these are.
 */

const PICTURES = z.array(z.object({ type: z.enum(["url", "base64"]), data: z.string().min(1) })).optional();
const RATIOS = ["1:1", "9:16", "16:9", "3:4", "4:3", "3:2", "2:3", "5:4", "4:5", "21:9"] as const;
const SMALL_ONLY = ["27:16", "16:27", "9:8", "8:9"] as const;
const VIDEO_RATIOS = choice("16:9", "9:16", "1:1", "Auto", "auto");
const BANANA_2_1 = {
  prompt: text(20_000),
  aspect_ratio: choice("auto", ...RATIOS),
  output_format: choice("png", "jpeg", "jpg"),
  image_resolution: choice("1K", "2K", "4K"),
  images: PICTURES,
};

/** A number of seconds, as a number or as text. */
function seconds(...values: readonly [number, ...number[]]) {
  const [first, ...rest] = values.flatMap((value) => [z.literal(value), z.literal(String(value))]);
  return z.union([first ?? z.literal(values[0]), ...rest]);
}

function image(shape: z.ZodRawShape, rub: number): Model {
  const resolutionOf = ({ image_resolution, resolution, quality }: Json) =>
    image_resolution ?? resolution ?? (quality === "high" ? "2K" : "1K");
  return {
    schema: z.object(shape),
    results: (input) => images(input, imageSides(input.aspect_ratio, resolutionOf(input)), "jpeg", input.n),
    units: (input) => (typeof input.n === "number" ? input.n : 1),
    unitPrice: rub,
    unit: "images",
    references: ["images"],
  };
}

function video(shape: z.ZodRawShape, standardSec: number, rub: (input: Json) => number): Model {
  return {
    schema: z.object(shape),
    results: (input) =>
      film(input, videoSides(input.aspect_ratio, input.resolution), secondsOf(input.duration, standardSec)),
    units: rub,
    references: ["images"],
  };
}

/** Both are required; the rules of its maker hold for sizes. */
const GPT_IMAGE = {
  prompt: text(20_000),
  aspect_ratio: z.enum(["auto", "1:1", "3:2", "2:3", "4:3", "3:4", "16:9", "9:16", "21:9", ...SMALL_ONLY]),
  image_resolution: z.enum(["1K", "2K", "4K"]),
  max_images: z.literal(1).optional(),
  images: PICTURES,
};
const smallOnly: Rule = ({ aspect_ratio: ratio, image_resolution: resolution }) =>
  resolution !== "1K" && ["auto", ...SMALL_ONLY].includes(String(ratio))
    ? { field: "image_resolution", kind: "rule", expected: `1K at ${String(ratio)}` }
    : undefined;
const GPT_IMAGE_RUB: Readonly<Record<string, number>> = { "2K": 7, "4K": 11 };
const gptImage: Model = {
  ...image(GPT_IMAGE, 1),
  rules: [smallOnly],
  units: ({ image_resolution: resolution }) => GPT_IMAGE_RUB[String(resolution)] ?? 4,
};

const VEO = {
  prompt: text(2000),
  aspect_ratio: choice("16:9", "9:16", "Auto"),
  seeds: z.int().min(10_000).max(99_999).optional(),
  watermark: z.string().max(50).optional(),
  generationType: choice("TEXT_2_VIDEO", "FIRST_AND_LAST_FRAMES_2_VIDEO", "REFERENCE_2_VIDEO"),
  enableTranslation: z.union([z.boolean(), z.enum(["true", "false"])]).optional(),
  duration: seconds(4, 6, 8).optional(),
  resolution: choice("720p", "1080p", "4k"),
  images: PICTURES,
};

const OMNI_RUB: Readonly<Record<string, number>> = { "4": 40, "6": 50, "8": 60, "10": 70 };
const OMNI_4K_RUB = 45;

const MODELS: Readonly<Record<string, Model>> = {
  "google/gemini-nano-banana-2.1": image(BANANA_2_1, 8),
  "bytedance/seedream-5-lite": image(
    {
      prompt: z.string().min(3).max(2996),
      aspect_ratio: choice(...RATIOS),
      quality: choice("basic", "high"),
      images: PICTURES,
    },
    4,
  ),
  "seedream/5-pro-text-to-image": image(
    {
      prompt: z.string().min(3).max(5000),
      aspect_ratio: choice("1:1", "4:3", "3:4", "16:9", "9:16", "2:3", "3:2", "21:9"),
      quality: choice("basic", "high"),
    },
    5,
  ),
  "openai/gpt-image-2.5-flare": gptImage,
  "openai/gpt-image-2.5-sunburst": gptImage,
  "x-ai/grok-imagine-image": image(
    {
      prompt: text(5000),
      aspect_ratio: choice("2:3", "3:2", "1:1", "16:9", "9:16"),
      size: choice("1024x1024", "1024x1792", "1792x1024"),
      n: z.int().min(1).max(4).optional(),
      images: PICTURES,
    },
    2.5,
  ),
  "google/veo3": video(VEO, 8, () => 180),
  "google/veo3_fast": video(VEO, 8, () => 45),
  "kling/v2.5-turbo": video(
    {
      prompt: text(5000),
      duration: seconds(5, 10).optional(),
      aspect_ratio: VIDEO_RATIOS,
      negative_prompt: z.string().max(2500).optional(),
      cfg_scale: z.number().min(0).max(1).optional(),
      images: PICTURES,
    },
    5,
    ({ duration }) => 6.3 * secondsOf(duration, 5),
  ),
  "gemini-omni-video": video(
    {
      prompt: text(5000),
      duration: seconds(4, 6, 8, 10).optional(),
      resolution: choice("720p", "1080p", "2160p", "4k"),
      aspect_ratio: VIDEO_RATIOS,
      multi_shots: z.boolean().optional(),
      seed: z.int().optional(),
      images: PICTURES,
    },
    8,
    ({ duration, resolution }) =>
      (OMNI_RUB[String(duration)] ?? 60) + (resolution === "4k" || resolution === "2160p" ? OMNI_4K_RUB : 0),
  ),
  "suno/generate": {
    schema: z.object({
      prompt: text(5000),
      style: z.string().max(1000).optional(),
      title: z.string().max(80).optional(),
      customMode: z.boolean().optional(),
      instrumental: z.boolean().optional(),
      version: choice("V5", "V4_5ALL", "V4_5PLUS", "V4_5", "V4", "V3_5"),
      negativeTags: z.string().optional(),
      vocalGender: choice("m", "f"),
      styleWeight: z.number().min(0).max(1).optional(),
      weirdnessConstraint: z.number().min(0).max(1).optional(),
      audioWeight: z.number().min(0).max(1).optional(),
    }),
    results: (input) =>
      [62.5, 66.3].map((durationSec, index) => ({
        kind: "audio",
        format: "mp3",
        durationSec,
        about: `${aboutOf(input)} ${index}`,
        title: String(input.title ?? ""),
      })),
    units: () => 15,
  },
};

/** What the catalogue tells of one parameter. Values are texts, whatever they are sent as. */
interface ParameterConstraint {
  required: boolean;
  max_length?: number;
  min?: number;
  max?: number;
  values?: readonly string[];
}

interface Described {
  enum?: readonly unknown[];
  const?: unknown;
  anyOf?: readonly Described[];
  type?: string;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
}

function constraintOf(field: z.core.$ZodType): ParameterConstraint {
  const described = z.toJSONSchema(field, { io: "input", unrepresentable: "any" }) as Described;
  const { maxLength, minimum, minItems, maximum, maxItems } = described;
  const values = [...new Set(valuesOf(described).map(String))];
  const [min, max] = [bounded(minimum) ?? minItems, bounded(maximum) ?? maxItems];
  return {
    required: !field._zod.optin,
    ...(maxLength !== undefined && { max_length: maxLength }),
    ...(min !== undefined && { min }),
    ...(max !== undefined && { max }),
    ...(values.length > 0 && { values }),
  };
}

/** Any whole number has bounds in JSON Schema that nobody wrote. */
function bounded(bound: number | undefined): number | undefined {
  return bound !== undefined && Math.abs(bound) < Number.MAX_SAFE_INTEGER ? bound : undefined;
}

function valuesOf({ enum: values, const: value, anyOf = [], type }: Described): readonly unknown[] {
  if (values) return values;
  if (value !== undefined) return [value];
  return type === "boolean" ? ["true", "false"] : anyOf.flatMap(valuesOf);
}

/*
 * Source: https://polza.ai/docs/api-reference/models/catalog, and …/list.md for the schemas of an entry. Programs that
 * read it find `cost_rub` in tiers, where the page says `costRub`, and the number of models in `meta.total`.
 */

const PAGE_SIZE = 20;
const PAGE_SIZE_MAX = 100;
/** Fields that the stand-in's prices depend on. */
const PRICED_BY = ["duration", "resolution", "image_resolution", "quality", "mode"];

/** All models by pages, with parameters and prices; needs no key. */
function answerCatalogue({ query, headers }: Call): Answer {
  const limit = Math.min(numberOf(query.get("limit"), PAGE_SIZE), PAGE_SIZE_MAX);
  const page = numberOf(query.get("page"), 1);
  const all = Object.entries(MODELS);
  const shown = all.slice((page - 1) * limit, page * limit);
  const meta = { total: all.length, page, limit, totalPages: Math.ceil(all.length / limit) };
  if (headers.authorization !== undefined) return json(400, { error: { message: "no key is needed here" } });
  return json(200, { data: shown.map(([id, model]) => entryOf(id, model)), meta });
}

function numberOf(given: string | null, otherwise: number): number {
  const number = Number(given ?? otherwise);
  return Number.isInteger(number) && number > 0 ? number : otherwise;
}

function entryOf(id: string, model: Model): object {
  const parameters = Object.fromEntries(
    Object.entries(model.schema.shape).map(([name, field]) => [name, constraintOf(field)]),
  );
  const pricing = { currency: "RUB", ...pricesOf(model) };
  return {
    id,
    name: id,
    type: model.unit === "images" ? "image" : id.startsWith("suno/") ? "audio" : "video",
    created: 1_765_987_078,
    architecture: { modality: null, input_modalities: ["text"], output_modalities: [] },
    top_provider: { is_moderated: true, context_length: null, pricing, parameters },
    endpoints: ["/v1/media"],
  };
}

/** A tier for each combination of the values that may decide, or one price where none does. */
function pricesOf({ schema, units, unitPrice = 1 }: Model): object {
  const costOf = (input: Json) => (units(input) * unitPrice).toFixed(2);
  const tiers = combinations(schema.shape).map((input) => ({
    conditions: Object.entries(input).map(([name, value]) => `${name}=${value}`),
    cost_rub: costOf(input),
  }));
  const isFlat = new Set(tiers.map(({ cost_rub }) => cost_rub)).size <= 1;
  return isFlat ? { per_request: costOf({}), tiers: null } : { per_request: null, tiers };
}

function combinations(shape: z.core.$ZodShape): readonly Json[] {
  return PRICED_BY.reduce<readonly Json[]>(
    (inputs, name) => {
      const field = shape[name];
      const { values = [] } = field ? constraintOf(field) : {};
      return values.length === 0
        ? inputs
        : inputs.flatMap((input) => values.map((value) => ({ ...input, [name]: value })));
    },
    [{}],
  );
}

/*
 * Sources: https://polza.ai/docs/api-reference/media/{create,status}.md, …/introduction.md (codes, form of errors).
 * Ignored parameters are named in `warnings`.
 */

const BODY_FIELDS: ReadonlySet<string> = new Set(["model", "input", "async", "user", "provider"]);

function failure(status: number, code: string, message: string): Answer {
  return json(status, { error: { code, message } });
}

const NOT_FOUND = failure(404, "NOT_FOUND", "Ресурс не найден");

function read(state: UpstreamState, { json: body }: Call): Submission | Answer {
  const endpoint = textOf(body?.model);
  const model = endpoint === undefined ? undefined : MODELS[endpoint];
  if (!body || endpoint === undefined) return failure(400, "BAD_REQUEST", "model is required");
  if (!model) return failure(404, "NOT_FOUND", `Модель ${endpoint} не найдена`);
  if (!isRecord(body.input)) return failure(400, "BAD_REQUEST", "input must be an object");
  if (body.async !== true) state.breach(`polza ${endpoint}: without async the answer comes when all is made`);
  const { problems, unknown } = judge(model, body.input);
  const strays = Object.keys(body).filter((name) => !BODY_FIELDS.has(name));
  const [problem] = problems;
  return {
    api: "media",
    endpoint,
    input: body.input,
    body,
    model,
    judgement: { problems, unknown: [...unknown, ...strays] },
    refused: problem && failure(400, "BAD_REQUEST", wordsOf(problem)),
    id: `gen_${state.newId()}`,
  };
}

function wordsOf({ field, kind, expected }: Problem): string {
  if (kind === "missing") return `Параметр ${field} обязателен`;
  return `Недопустимое значение параметра ${field}${expected && `: ${expected}`}`;
}

function shownOf(task: Task, phase: Phase, root: string): Json {
  const model = MODELS[task.endpoint];
  const unknown = model ? judge(model, task.input).unknown : [];
  const warnings = unknown.map((name) => `Параметр ${name} не поддерживается и будет проигнорирован`);
  const shown = {
    id: task.id,
    object: "media.generation",
    created: Math.floor(task.acceptedAt / 1000),
    model: task.endpoint,
    ...(warnings.length > 0 ? { warnings } : {}),
  };
  if (phase.kind !== "ended") return { ...shown, status: phase.kind === "queued" ? "pending" : "processing" };
  const completedAt = Math.floor(phase.at / 1000);
  const error = errorOf(task);
  if (error) return { ...shown, status: "failed", completed_at: completedAt, error };
  const files = task.files.map((file) => ({ url: fileUrl(root, task, file) }));
  const cost = task.price.amount;
  return {
    ...shown,
    status: "completed",
    completed_at: completedAt,
    data: files.length === 1 ? files[0] : files,
    usage: { output_units: files.length, cost_rub: cost, cost },
  };
}

/** What the maker said stands in the message; the code says only that it did not make it. */
function errorOf({ outcome }: Task): { code: string; message: string } | undefined {
  const code = "BAD_GATEWAY";
  switch (outcome.kind) {
    case "policy":
      return { code, message: "Your prompt was flagged by Website as violating content policies." };
    case "reference":
      return { code, message: "Failed to fetch the image. Kindly verify any access limits." };
    case "failed":
      return { code, message: "Ошибка генерации медиа контента" };
    default:
      return undefined;
  }
}

/* Sources: https://polza.ai/docs/api-reference/storage/upload; the balance by third parties. */

const UPLOAD_LIFE_MS = 24 * 3_600_000;

/** An account without credit still has less than any task costs, as accounts usually run out. */
function answerBalance(state: UpstreamState): Answer {
  return json(200, { amount: state.account("polza") === "good" ? "1000.00" : "0.40" });
}

function answerUpload(state: UpstreamState, { json: fields, files, root }: Call): Answer {
  const [file] = files;
  const base64 = file?.bytes.toString("base64") ?? textOf(fields?.base64);
  if (!base64) return failure(400, "BAD_REQUEST", "file is required");
  const id = state.newId();
  const mime = file?.mime ?? textOf(fields?.mimeType) ?? "application/octet-stream";
  const fileName = file?.fileName ?? id;
  const now = state.time.now();
  state.addUpload({ id, service: "polza", fileName, mime, base64 });
  return json(201, {
    id: `file_${id}`,
    fileType: "IMAGE",
    mimeType: mime,
    source: "USER_UPLOAD",
    storagePolicy: textOf(fields?.storagePolicy) ?? "TEMP_UPLOAD",
    url: `${root}/uploads/${id}/${encodeURIComponent(fileName)}`,
    size: Buffer.from(base64, "base64").length,
    createdAt: new Date(now).toISOString(),
    expiresAt: new Date(now + UPLOAD_LIFE_MS).toISOString(),
  });
}

/** polza.ai: one form for pictures, films and songs; prices in rubles. */
export function polzaDialect(state: UpstreamState): Dialect {
  const throttled = failure(429, "TOO_MANY_REQUESTS", "Превышен лимит запросов");
  const noCredit = failure(402, "PAYMENT_REQUIRED", "Недостаточно средств");
  return {
    name: "polza",
    currency: "RUB",
    routes: {
      "POST /api/v1/media": {
        kind: "submit",
        read: (call) => read(state, call),
        async accepted(task, { json: body, root }) {
          const isAsync = body?.async === true;
          if (!isAsync) await state.ended(task);
          return json(isAsync ? 201 : 200, shownOf(task, phaseOf(task, state.time.now()), root));
        },
        withoutId: json(201, { object: "media.generation", status: "pending" }),
      },
      "GET /api/v1/media/([^/]+)": {
        kind: "task",
        unknown: () => NOT_FOUND,
        strange: (task) => json(200, { id: task.id, object: "media.generation", status: "moderating" }),
        answer: (task, phase, { root }) => json(200, shownOf(task, phase, root)),
      },
      "GET /api/v1/models/catalog": free(answerCatalogue),
      "GET /api/v1/balance": plain(() => answerBalance(state)),
      "POST /api/v1/storage/upload": upload((call) => answerUpload(state, call)),
    },
    keyOf: bearerOf,
    refusals: {
      "rate-limited": throttled,
      maintenance: failure(503, "SERVICE_UNAVAILABLE", "Нет доступных провайдеров"),
      "policy-at-submit": failure(
        400,
        "BAD_REQUEST",
        "Your prompt was flagged as violating content policies.",
      ),
      "no-credit": noCredit,
      locked: failure(403, "FORBIDDEN", "Доступ запрещён"),
      "wrong-key": failure(401, "UNAUTHORIZED", "Ошибка аутентификации"),
    },
    tooManyQueries: throttled,
  };
}
