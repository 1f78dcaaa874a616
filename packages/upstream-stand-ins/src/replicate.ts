import { z } from "zod";
import {
  type Answer,
  bearerOf,
  type Call,
  choice,
  flag,
  isRecord,
  type Json,
  json,
  link,
  links,
  seed,
  text,
  textOf,
  whole,
} from "./call.js";
import { type Dialect, plain, type Submission, type TaskRoute, upload } from "./dialect.js";
import { fileUrl } from "./download.js";
import { imageSides, videoSides } from "./files.js";
import { judge, type Problem, type Rule } from "./judge.js";
import { aboutOf, film, imageFormat, images, type Model, secondsOf } from "./model.js";
import { cancelTask } from "./query.js";
import type { UpstreamState } from "./state.js";
import { type Phase, phaseOf, type Task } from "./task.js";

/* Sources: https://replicate.com/elevenlabs/music, https://replicate.com/minimax/music-2.6 */

/** "For vocal songs, supply lyrics, unless lyrics_optimizer is set." */
const lyricsFit: Rule = ({ is_instrumental: isInstrumental, lyrics, lyrics_optimizer: writes }) =>
  isInstrumental === false && lyrics === undefined && writes !== true
    ? { field: "lyrics", kind: "rule", expected: "given for a song" }
    : undefined;

const song = (
  schema: z.ZodObject,
  seconds: (input: Json) => number,
  price: (input: Json) => number,
): Model => ({
  schema,
  rules: [lyricsFit],
  results: (input) => [
    { kind: "audio", format: "mp3", durationSec: seconds(input), about: aboutOf(input), title: "" },
  ],
  units: price,
});

const lengthOf = ({ music_length_ms: ms }: Json) => (typeof ms === "number" ? ms : 10_000) / 1000;

const MUSIC_MODELS: Readonly<Record<string, Model>> = {
  "elevenlabs/music": song(
    z.object({
      prompt: text(50_000),
      music_length_ms: whole(5000, 300_000),
      force_instrumental: flag,
      output_format: choice(
        ...(["mp3_standard", "mp3_high_quality", "wav_16khz", "wav_22khz", "wav_24khz"] as const),
        "wav_cd_quality",
      ),
    }),
    lengthOf,
    (input) => lengthOf(input) * 0.0083,
  ),
  "minimax/music-2.6": song(
    z.object({
      prompt: text(2000),
      lyrics: z.string().min(1).max(3500).optional(),
      is_instrumental: flag,
      lyrics_optimizer: flag,
      audio_format: choice("mp3", "wav", "pcm"),
      sample_rate: z.literal([16_000, 24_000, 32_000, 44_100]).optional(),
      bitrate: z.literal([32_000, 64_000, 128_000, 256_000]).optional(),
      seed: whole(0, 1_000_000),
    }),
    () => 60,
    () => 0.15,
  ),
};

/** The price of a unit by the value of one field. */
function priceBy(prices: Readonly<Record<string, number>>, field: string, otherwise: string) {
  return (input: Json) => prices[String(input[field] ?? otherwise)] ?? 0;
}

/*
 * Sources: the schema of each model, https://replicate.com/OWNER/NAME/api/schema. Values without a stated maximum have
 * none here. Prices are those of the models' pages.
 */

const prompt = text(50_000);
const NANO_RATIOS = ["1:1", "2:3", "3:2", "3:4", "4:3", "4:5", "5:4", "9:16", "16:9", "21:9"] as const;
const NANO = {
  prompt,
  image_input: links(14).optional(),
  resolution: choice("1K", "2K", "4K"),
  output_format: choice("jpg", "png"),
};
const GPT = z.object({
  prompt,
  input_images: links(16).optional(),
  aspect_ratio: choice(
    ...(["1:1", "3:2", "2:3", "4:3", "3:4", "16:9", "9:16", "auto", "1024x1024", "1536x1024"] as const),
    ...(["1024x1536", "1536x1152", "1152x1536", "2048x2048", "2048x1152", "1152x2048"] as const),
    ...(["3840x2160", "2160x3840"] as const),
  ),
  quality: choice("low", "medium", "high", "xhigh", "max", "auto"),
  background: choice("auto", "transparent", "opaque"),
  moderation: choice("auto", "low"),
  number_of_images: whole(1, 10),
  output_format: choice("png", "jpeg", "webp"),
  output_compression: whole(0, 100),
});
/** A shape that is taken from a picture needs one. */
function needsPicture(field: string): Rule {
  return ({ aspect_ratio: ratio, [field]: pictures }) =>
    ratio === "match_input_image" && !Array.isArray(pictures)
      ? { field: "aspect_ratio", kind: "rule", expected: "a ratio without pictures" }
      : undefined;
}

interface Picture {
  schema: z.ZodObject;
  price: (input: Json) => number;
  field: string;
  sides?: (input: Json) => { width: number; height: number };
  rules?: readonly Rule[];
}

function picture({ schema, price, field, rules = [], sides = sidesOf }: Picture): Model {
  return {
    schema,
    rules,
    results: (input) => images(input, sides(input), imageFormat(input.output_format), input.number_of_images),
    units: price,
    references: [field],
  };
}

function sidesOf({ aspect_ratio: ratio, resolution, size }: Json) {
  const exact = /^(\d+)x(\d+)$/.exec(String(ratio));
  if (exact) return { width: Number(exact[1]), height: Number(exact[2]) };
  return imageSides(ratio, resolution === "4 MP" ? "2K" : (resolution ?? size));
}

const gpt = picture({
  schema: GPT,
  price: priceBy(
    { low: 0.012, medium: 0.047, high: 0.128, xhigh: 0.25, max: 0.5, auto: 0.25 },
    "quality",
    "auto",
  ),
  field: "input_images",
});

const IMAGE_MODELS: Readonly<Record<string, Model>> = {
  "google/nano-banana-2.1": picture({
    schema: z.object({
      ...NANO,
      aspect_ratio: choice("match_input_image", ...NANO_RATIOS, "1:4", "1:8", "4:1", "8:1"),
      image_search: flag,
      google_search: flag,
    }),
    price: priceBy({ "1K": 0.0336, "2K": 0.0504, "4K": 0.1134 }, "resolution", "1K"),
    field: "image_input",
  }),
  "google/nano-banana-2-lite": picture({
    schema: z.object({
      prompt,
      image_input: links(14).optional(),
      aspect_ratio: choice("match_input_image", ...NANO_RATIOS, "1:4", "1:8", "4:1", "8:1"),
      output_format: choice("jpg", "png"),
      seed,
    }),
    price: () => 0.034,
    field: "image_input",
  }),
  "google/nano-banana-pro": picture({
    schema: z.object({
      ...NANO,
      aspect_ratio: choice("match_input_image", ...NANO_RATIOS),
      safety_filter_level: choice("block_low_and_above", "block_medium_and_above", "block_only_high"),
      allow_fallback_model: flag,
    }),
    price: priceBy({ "1K": 0.15, "2K": 0.15, "4K": 0.3 }, "resolution", "2K"),
    field: "image_input",
  }),
  "openai/gpt-image-2.5-flare": gpt,
  "openai/gpt-image-2.5-sunburst": gpt,
  "bytedance/seedream-5-lite": picture({
    schema: z.object({
      prompt,
      image_input: links(14).optional(),
      size: choice("2K", "3K"),
      aspect_ratio: choice(
        ...(["match_input_image", "1:1", "4:3", "3:4", "16:9", "9:16", "3:2", "2:3", "21:9"] as const),
      ),
      sequential_image_generation: choice("disabled", "auto"),
      max_images: whole(1, 15),
      output_format: choice("png", "jpeg"),
    }),
    price: () => 0.035,
    field: "image_input",
  }),
  "black-forest-labs/flux-2-pro": picture({
    schema: z.object({
      prompt,
      input_images: links(8).optional(),
      aspect_ratio: choice(
        ...(["match_input_image", "custom", "1:1", "16:9", "3:2", "2:3", "4:5", "5:4"] as const),
        ...(["9:16", "3:4", "4:3"] as const),
      ),
      resolution: choice("match_input_image", "0.5 MP", "1 MP", "2 MP", "4 MP"),
      width: whole(256, 2048),
      height: whole(256, 2048),
      safety_tolerance: whole(1, 5),
      seed,
      output_format: choice("webp", "jpg", "png"),
      output_quality: whole(0, 100),
    }),
    rules: [needsPicture("input_images")],
    price: () => 0.03,
    field: "input_images",
  }),
  "prunaai/z-image-turbo": picture({
    schema: z.object({
      prompt,
      // The lower maximum of its two published versions.
      width: whole(64, 1440),
      height: whole(64, 1440),
      num_inference_steps: whole(1, 50),
      guidance_scale: z.number().min(0).max(20).optional(),
      go_fast: flag,
      seed,
      output_format: choice("png", "jpg", "webp"),
      output_quality: whole(0, 100),
    }),
    sides: ({ width, height }) => ({ width: Number(width ?? 1024), height: Number(height ?? 1024) }),
    price: ({ width, height }) =>
      Math.ceil((Number(width ?? 1024) * Number(height ?? 1024)) / 1_050_000) * 0.008,
    field: "image",
  }),
};

/* Source: the schema of each model, https://replicate.com/OWNER/NAME/api/schema. */

const VEO = {
  prompt,
  negative_prompt: z.string().optional(),
  image: link.optional(),
  last_frame: link.optional(),
  duration: z.union([z.literal(4), z.literal(6), z.literal(8)]).optional(),
  resolution: choice("720p", "1080p"),
  aspect_ratio: choice("16:9", "9:16"),
  generate_audio: flag,
  seed,
};
const KLING_RATIOS = choice("16:9", "9:16", "1:1");

/** "Reference images only work with 16:9 aspect ratio and 8-second duration." */
const referencesFit: Rule = ({ reference_images: pictures, aspect_ratio: ratio, duration }) => {
  if (!Array.isArray(pictures) || pictures.length === 0) return undefined;
  if (ratio !== undefined && ratio !== "16:9")
    return { field: "aspect_ratio", kind: "rule", expected: "16:9 with references" };
  return duration === undefined || duration === 8
    ? undefined
    : { field: "duration", kind: "rule", expected: "8 with references" };
};

function movie(
  schema: z.ZodObject,
  perSecond: (input: Json) => number,
  references: readonly string[],
  rules: readonly Rule[] = [],
): Model {
  return {
    schema,
    rules,
    results: (input) =>
      film(input, videoSides(input.aspect_ratio, input.resolution), secondsOf(input.duration, 5)),
    units: (input) => secondsOf(input.duration, 5) * perSecond(input),
    references,
  };
}

const bySound = (mute: number, loud: number) => (input: Json) =>
  input.generate_audio === false ? mute : loud;
const VIDEO_MODELS: Readonly<Record<string, Model>> = {
  "google/veo-3.1": movie(
    z.object({ ...VEO, reference_images: links(3).optional() }),
    bySound(0.2, 0.4),
    ["image", "last_frame", "reference_images"],
    [referencesFit],
  ),
  "google/veo-3.1-fast": movie(z.object(VEO), bySound(0.1, 0.15), ["image", "last_frame"]),
  "xai/grok-imagine-video": movie(
    z.object({
      prompt,
      image: link.optional(),
      video: link.optional(),
      duration: whole(1, 15),
      resolution: choice("480p", "720p"),
      aspect_ratio: choice("auto", "16:9", "9:16", "1:1", "4:3", "3:4", "3:2", "2:3"),
    }),
    priceBy({ "480p": 0.05, "720p": 0.07 }, "resolution", "720p"),
    ["image"],
  ),
  "kwaivgi/kling-v2.5-turbo-pro": movie(
    z.object({
      prompt,
      negative_prompt: z.string().optional(),
      start_image: link.optional(),
      end_image: link.optional(),
      aspect_ratio: KLING_RATIOS,
      duration: z.union([z.literal(5), z.literal(10)]).optional(),
    }),
    () => 0.07,
    ["start_image", "end_image"],
  ),
  "kwaivgi/kling-v3-video": movie(
    z.object({
      prompt,
      negative_prompt: z.string().optional(),
      mode: choice("standard", "pro", "4k"),
      start_image: link.optional(),
      end_image: link.optional(),
      aspect_ratio: KLING_RATIOS,
      multi_prompt: z.string().optional(),
      duration: whole(3, 15),
      generate_audio: flag,
    }),
    bySound(0.224, 0.336),
    ["start_image", "end_image"],
  ),
  "bytedance/seedance-2.5": movie(
    z.object({
      prompt: z.string().optional(),
      image: link.optional(),
      last_frame_image: link.optional(),
      reference_images: z.array(link).optional(),
      duration: whole(-1, 30),
      resolution: choice("480p", "720p"),
      aspect_ratio: choice("16:9", "4:3", "1:1", "3:4", "9:16", "21:9", "adaptive"),
      generate_audio: flag,
      watermark: flag,
      output_format: choice("mp4", "mov"),
      seed,
    }),
    priceBy({ "480p": 0.1028, "720p": 0.2312 }, "resolution", "720p"),
    ["image", "last_frame_image", "reference_images"],
  ),
};

const MODELS: Readonly<Record<string, Model>> = { ...IMAGE_MODELS, ...VIDEO_MODELS, ...MUSIC_MODELS };

/** Models whose output is a list; that of the others is one address. */
const LISTING: ReadonlySet<string> = new Set([
  "openai/gpt-image-2.5-flare",
  "openai/gpt-image-2.5-sunburst",
  "bytedance/seedream-5-lite",
]);

/*
 * Sources: https://replicate.com/docs/reference/http, …/topics/predictions/{create-a-prediction,lifecycle},
 * https://sdks.replicate.com/python/resources/predictions. Inputs are judged before anything is accepted; a field that
 * the model does not know is dropped.
 */

const NOT_FOUND = failure(404, "Not found", "The requested resource could not be found.");
const OUTPUT_LIFE_MS = 3_600_000;
const LIST_LENGTH = 100;
const DEADLINE = /^(?:(\d+)m)?(?:(\d+)s)?$/;

function failure(status: number, title: string, detail: string): Answer {
  return json(status, { title, detail, status });
}

function read(state: UpstreamState, { named: endpoint, json: body, headers }: Call): Submission | Answer {
  const model = MODELS[endpoint];
  if (!model) {
    state.breach(`replicate: unknown model ${endpoint}`);
    return NOT_FOUND;
  }
  if (headers.prefer !== undefined) state.breach(`replicate ${endpoint}: a waiting answer may be cut`);
  if (!isRecord(body?.input)) return failure(422, "Input validation failed", "- input is required\n");
  const judgement = judge(model, body.input);
  const [problem] = judgement.problems;
  return {
    api: "predictions",
    endpoint,
    input: body.input,
    body,
    model,
    judgement,
    refused: problem && failure(422, "Input validation failed", wordsOf(problem)),
    startTimeoutMs: deadlineOf(headers["cancel-after"]),
    callbackUrl: webhookOf(body),
  };
}

/** It is called for the events that were asked for; here only the end of a prediction is one. */
function webhookOf({ webhook, webhook_events_filter: events = ["completed"] }: Json): string | undefined {
  return Array.isArray(events) && events.includes("completed") ? textOf(webhook) : undefined;
}

function wordsOf({ field, kind, expected }: Problem): string {
  return kind === "missing" ? `- input: ${field} is required\n` : `- input.${field}: must be ${expected}\n`;
}

function deadlineOf(given: string | string[] | undefined): number | undefined {
  const [, minutes = 0, seconds = 0] = DEADLINE.exec(String(given ?? "")) ?? [];
  return (Number(minutes) * 60 + Number(seconds)) * 1000 || undefined;
}

/** The newest first. */
function answerList(state: UpstreamState, { query, root }: Call): Answer {
  const after = Date.parse(query.get("created_after") ?? "") || 0;
  const results = [...state.tasks.values()]
    .filter(({ service, acceptedAt }) => service === "replicate" && acceptedAt >= after)
    .reverse()
    .slice(0, LIST_LENGTH)
    .map((task) => shownNow(state, task, root));
  return json(200, { next: null, previous: null, results });
}

function shownNow(state: UpstreamState, task: Task, root: string): Json {
  const now = state.time.now();
  return shownOf(task, phaseOf(task, now), root, now);
}

function shownOf(task: Task, phase: Phase, root: string, now: number): Json {
  const url = `${root}/v1/predictions/${task.id}`;
  const at = (ms: number) => new Date(ms).toISOString();
  const shown = {
    id: task.id,
    model: task.endpoint,
    version: "hidden",
    input: task.input,
    logs: "",
    output: null,
    data_removed: false,
    error: null,
    created_at: at(task.acceptedAt),
    urls: { get: url, cancel: `${url}/cancel`, web: `https://replicate.com/p/${task.id}` },
  };
  if (phase.kind === "queued") return { ...shown, status: "starting" };
  if (phase.kind === "running") return { ...shown, status: "processing" };
  if (phase.kind === "cancelled") return { ...shown, status: "canceled" };
  const ended = { ...shown, completed_at: at(phase.at), metrics: { predict_time: task.runMs / 1000 } };
  if (task.outcome.kind === "not-started") return { ...ended, status: "aborted" };
  if (task.outcome.kind !== "made") return { ...ended, status: "failed", error: errorOf(task) };
  if (now > phase.at + OUTPUT_LIFE_MS)
    return { ...ended, status: "succeeded", input: {}, data_removed: true };
  const urls = task.files.map((file) => fileUrl(root, task, file));
  return { ...ended, status: "succeeded", output: LISTING.has(task.endpoint) ? urls : (urls[0] ?? null) };
}

function errorOf({ outcome }: Task): string {
  switch (outcome.kind) {
    case "policy":
      return "The input or output was flagged as sensitive. Please try again with different inputs. (E005)";
    case "reference":
      return `Could not download the file of ${outcome.field}`;
    default:
      return "Prediction failed for an unknown reason";
  }
}

const FILE_LIFE_MS = 24 * 3_600_000;

/** Official models of Replicate, by api.replicate.com. */
export function replicateDialect(state: UpstreamState): Dialect {
  const throttled = failure(
    429,
    "Too Many Requests",
    "Request was throttled. Your rate limit resets in ~30s.",
  );
  const acceptedOf = (task: Task, root: string) =>
    shownOf(task, phaseOf(task, task.acceptedAt), root, state.time.now());
  const taskRoute: TaskRoute = {
    kind: "task",
    unknown: () => NOT_FOUND,
    strange: (task, { root }) => json(200, { ...acceptedOf(task, root), status: "paused" }),
    answer: (task, _phase, { root }) => json(200, shownNow(state, task, root)),
  };
  return {
    name: "replicate",
    currency: "USD",
    routes: {
      "POST /v1/models/([\\w-]+/[\\w.-]+)/predictions": {
        kind: "submit",
        read: (call) => read(state, call),
        accepted: (task, { root }) => json(201, acceptedOf(task, root)),
        withoutId: json(201, { status: "starting" }),
      },
      "GET /v1/predictions/(\\w+)": taskRoute,
      "POST /v1/predictions/(\\w+)/cancel": {
        ...taskRoute,
        isCancel: true,
        answer(task, _phase, { root }) {
          cancelTask(state, task);
          return json(200, shownNow(state, task, root));
        },
      },
      "GET /v1/predictions": plain((call) => answerList(state, call)),
      "GET /v1/account": plain(() => json(200, { type: "user", username: "stand-in", name: "" })),
      "POST /v1/files": upload((call) => answerUpload(state, call)),
    },
    keyOf: bearerOf,
    // The content is looked at by the model.
    refusals: {
      "rate-limited": throttled,
      maintenance: failure(503, "Service Unavailable", "The service is temporarily unavailable."),
      "no-credit": failure(402, "Insufficient credit", "You have insufficient credit to run this model."),
      locked: failure(403, "Forbidden", "Your account has been disabled."),
      "wrong-key": failure(401, "Unauthenticated", "You did not pass a valid authentication token"),
    },
    tooManyQueries: throttled,
    callback: (task, root) => shownNow(state, task, root),
  };
}

function answerUpload(state: UpstreamState, { files, root }: Call): Answer {
  const file = files.find(({ name }) => name === "content");
  if (!file) return failure(400, "Bad Request", "content is required");
  const id = state.newId();
  const { fileName, mime } = file;
  state.addUpload({ id, service: "replicate", fileName, mime, base64: file.bytes.toString("base64") });
  const now = state.time.now();
  return json(201, {
    id,
    name: fileName,
    content_type: mime,
    size: file.bytes.length,
    created_at: new Date(now).toISOString(),
    expires_at: new Date(now + FILE_LIFE_MS).toISOString(),
    urls: { get: `${root}/uploads/${id}/${encodeURIComponent(fileName)}` },
  });
}
