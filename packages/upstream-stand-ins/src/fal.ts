import { randomBytes } from "node:crypto";
import { z } from "zod";
import {
  type Answer,
  type Call,
  choice,
  flag,
  type Json,
  json,
  link,
  links,
  seed,
  text,
  textOf,
  whole,
} from "./call.js";
import { type Dialect, free, plain, type Submission, type TaskRoute, upload } from "./dialect.js";
import { fileUrl } from "./download.js";
import { type FileSpec, imageSides, presetSides, type Sides, videoSides } from "./files.js";
import { judge, type Problem, type Rule } from "./judge.js";
import { aboutOf, film, imageFormat, images, type Model, secondsOf } from "./model.js";
import { cancelTask } from "./query.js";
import type { UpstreamState } from "./state.js";
import { type Phase, phaseOf, type Task } from "./task.js";

const DOLLARS = 24.5;
/** Below zero, as the account of somebody whose last tasks cost more than was left. */
const DOLLARS_LEFT = -0.12;

/** Refuses: the keys here have no admin scope. Source: https://fal.ai/docs/platform-apis/v1/account/billing. */
const NO_ADMIN = json(403, {
  error: { type: "authorization_error", message: "This endpoint requires an Admin API key." },
});

/** Answers a bare number of dollars, as third parties saw it; fal documents no such address. */
function answerBalance(state: UpstreamState): Answer {
  return json(200, state.account("fal") === "good" ? DOLLARS : DOLLARS_LEFT);
}

/*
 * Sources: https://fal.ai/api/openapi/queue/openapi.json?endpoint_id=fal-ai/minimax-music/v2.6 as others recorded it in
 * August 2026 (prompt 10 to 2000, lyrics to 3500 characters, lyrics_optimizer), with the rule for lyrics from v2.5's
 * llms.txt; the types of @fal-ai/client 1.10.1 for fal-ai/elevenlabs/music.
 */

const audioSetting = z
  .object({
    sample_rate: choice("16000", "24000", "32000", "44100"),
    bitrate: choice("32000", "64000", "128000", "256000"),
    format: choice("mp3", "pcm", "flac"),
  })
  .optional();

const lyricsUnlessWritten: Rule = ({
  lyrics,
  is_instrumental: isInstrumental,
  lyrics_optimizer: isWritten,
}) =>
  isInstrumental !== true && isWritten !== true && (lyrics === undefined || lyrics === "")
    ? { field: "lyrics", kind: "rule", expected: "lyrics, is_instrumental or lyrics_optimizer" }
    : undefined;

const promptOrPlan: Rule = ({ prompt, composition_plan: plan }) =>
  (prompt === undefined) === (plan === undefined)
    ? { field: "prompt", kind: "rule", expected: "exactly one of prompt and composition_plan" }
    : undefined;

function music(shape: z.ZodRawShape, unitPrice: number, rules: readonly Rule[] = []): Model {
  return {
    schema: z.object(shape),
    rules,
    results: (input) => {
      const { music_length_ms: lengthMs } = input;
      const durationSec = typeof lengthMs === "number" ? lengthMs / 1000 : 60;
      return [{ kind: "audio", format: "mp3", durationSec, about: aboutOf(input), title: "" }];
    },
    units: () => 1,
    unitPrice,
    unit: "audios",
  };
}

const MUSIC_MODELS: Readonly<Record<string, Model>> = {
  "fal-ai/minimax-music/v2.6": music(
    {
      prompt: text(2000, 10),
      lyrics: z.string().max(3500).optional(),
      is_instrumental: flag,
      lyrics_optimizer: flag,
      audio_setting: audioSetting,
    },
    0.15,
    [lyricsUnlessWritten],
  ),
  "fal-ai/elevenlabs/music": music(
    {
      prompt: z.string().min(1).max(4100).optional(),
      composition_plan: z.record(z.string(), z.unknown()).optional(),
      music_length_ms: z.int().min(3000).max(600_000).optional(),
      force_instrumental: flag,
      respect_sections_durations: flag,
      output_format: z
        .string()
        .regex(/^(mp3|pcm|opus|ulaw|alaw)_\d+(_\d+)?$/)
        .optional(),
    },
    0.8,
    [promptOrPlan],
  ),
};

/*
 * Sources: https://fal.ai/models/ENDPOINT/llms.txt of each endpoint (kling/v4 and bytedance/seedance-2.5 stand there
 * only), and the types of @fal-ai/client 1.10.1 (src/types/endpoints.d.ts). fal-ai/veo3.1 takes 4k by its llms.txt.
 * google/gemini-omni-flash/v1.1: https://fal.ai/api/openapi/queue/openapi.json?endpoint_id=ENDPOINT as others pinned it
 * in October 2026, with its units as recorded; the endpoints without a version ended in September.
 */

const LONG_PROMPT = { prompt: text(50_000) };
const VEO = {
  ...LONG_PROMPT,
  negative_prompt: z.string().optional(),
  auto_fix: flag,
  generate_audio: flag,
  seed,
  safety_tolerance: choice("1", "2", "3", "4", "5", "6"),
  duration: choice("4s", "6s", "8s"),
  resolution: choice("720p", "1080p", "4k"),
};
const SHAPES = choice("16:9", "9:16");
const AUTO_SHAPES = choice("auto", "16:9", "9:16");
const KLING_2_5 = {
  ...LONG_PROMPT,
  negative_prompt: z.string().max(2500).optional(),
  cfg_scale: z.number().min(0).max(1).optional(),
  duration: choice("5", "10"),
};
const KLING_4 = {
  prompt: z.string().min(1).max(2500).optional(),
  multi_prompt: z.array(z.object({ prompt: z.string(), duration: z.int().optional() })).optional(),
  duration: z.int().min(3).max(30).optional(),
  resolution: choice("720p", "1080p"),
};
const KLING_4_SHAPES = choice("auto", "16:9", "9:16", "1:1", "21:9");
const KLING_4_IMAGES = {
  start_image_url: link,
  end_image_url: link.optional(),
  middle_image_urls: links(8).optional(),
};
const SEEDANCE = {
  ...LONG_PROMPT,
  resolution: choice("480p", "720p"),
  aspect_ratio: choice("auto", "21:9", "16:9", "4:3", "1:1", "3:4", "9:16"),
  duration: z.enum(["auto", ...Array.from({ length: 27 }, (_, index) => String(index + 4))]).optional(),
  generate_audio: flag,
  seed,
};
const XAI_RATIOS = ["16:9", "4:3", "3:2", "1:1", "2:3", "3:4", "9:16"] as const;
const XAI = {
  ...LONG_PROMPT,
  prompt: text(4096),
  duration: z.int().min(1).max(15).optional(),
  resolution: choice("480p", "720p"),
};

/** Either the prompt or the prompts of the shots. */
const somePrompt: Rule = (input) =>
  input.prompt === undefined && input.multi_prompt === undefined
    ? { field: "prompt", kind: "rule", expected: "either prompt or multi_prompt" }
    : undefined;

const OMNI = {
  prompt: text(20_000),
  aspect_ratio: SHAPES,
  resolution: choice("360p", "720p", "1080p", "4k"),
  duration: z.int().min(3).max(10).optional(),
};

interface Defaults {
  seconds: number;
  resolution: string;
  /** Price of a unit. */
  price: number;
  /** Units of a second without and with sound, where the endpoint has `generate_audio`. */
  units?: { silent: number; sound: number };
}

function video(shape: z.ZodRawShape, defaults: Defaults, rules: readonly Rule[] = []): Model {
  const durationOf = (input: Json) => secondsOf(input.duration, defaults.seconds);
  const { silent, sound } = defaults.units ?? { silent: 1, sound: 2 };
  const hasSound = (input: Json) => "generate_audio" in shape && input.generate_audio !== false;
  return {
    schema: z.object(shape),
    rules,
    results: (input) =>
      film(input, videoSides(input.aspect_ratio, input.resolution ?? defaults.resolution), durationOf(input)),
    units: (input) => durationOf(input) * (hasSound(input) ? sound : silent),
    unitPrice: defaults.price,
    unit: "seconds",
    references: [
      "image_url",
      "image_urls",
      "tail_image_url",
      "start_image_url",
      "end_image_url",
      "first_frame_url",
      "last_frame_url",
      "reference_image_urls",
    ],
  };
}

/** The price is that of a second with sound. Source: the pricing API as recorded for veo3.1/image-to-video. */
const veoDefaults = (price: number): Defaults => ({
  seconds: 8,
  resolution: "720p",
  price,
  units: { silent: 0.5, sound: 1 },
});

function veo(path: string, price: number): Readonly<Record<string, Model>> {
  const defaults = veoDefaults(price);
  return {
    [path]: video({ ...VEO, aspect_ratio: SHAPES }, defaults),
    [`${path}/image-to-video`]: video({ ...VEO, aspect_ratio: AUTO_SHAPES, image_url: link }, defaults),
    [`${path}/first-last-frame-to-video`]: video(
      { ...VEO, aspect_ratio: AUTO_SHAPES, first_frame_url: link, last_frame_url: link },
      defaults,
    ),
  };
}

/** Its units are seconds at 360p: $0.03, $0.10, $0.15 and $0.30 a second. */
function omni(shape: z.ZodRawShape): Model {
  const model = video({ ...OMNI, ...shape }, { seconds: 8, resolution: "720p", price: 0.03 });
  const units = { "360p": 1, "720p": 10 / 3, "1080p": 5, "4k": 10 } as Readonly<Record<string, number>>;
  return {
    ...model,
    units: (input) => secondsOf(input.duration, 8) * (units[String(input.resolution)] ?? 10 / 3),
  };
}

const kling4 = { seconds: 5, resolution: "720p", price: 0.157 };
const kling25 = { seconds: 5, resolution: "1080p", price: 0.07 };
const grok = { seconds: 6, resolution: "720p", price: 0.05 };

const VIDEO_MODELS: Readonly<Record<string, Model>> = {
  ...veo("fal-ai/veo3.1", 0.4),
  ...veo("fal-ai/veo3.1/fast", 0.2),
  "fal-ai/veo3.1/reference-to-video": video(
    { ...VEO, duration: choice("8s"), aspect_ratio: SHAPES, image_urls: links(3) },
    veoDefaults(0.4),
  ),
  "kling/v4/text-to-video": video({ ...KLING_4, aspect_ratio: KLING_4_SHAPES }, kling4, [somePrompt]),
  "kling/v4/image-to-video": video({ ...KLING_4, ...KLING_4_IMAGES }, kling4, [somePrompt]),
  "kling/v4/reference-to-video": video(
    {
      ...KLING_4,
      aspect_ratio: KLING_4_SHAPES,
      start_image_url: link.optional(),
      end_image_url: link.optional(),
      image_urls: links(10).optional(),
    },
    kling4,
    [somePrompt],
  ),
  "fal-ai/kling-video/v2.5-turbo/pro/text-to-video": video(
    { ...KLING_2_5, aspect_ratio: choice("16:9", "9:16", "1:1") },
    kling25,
  ),
  "fal-ai/kling-video/v2.5-turbo/pro/image-to-video": video(
    { ...KLING_2_5, image_url: link, tail_image_url: link.optional() },
    kling25,
  ),
  "bytedance/seedance-2.5/flash/text-to-video": video(SEEDANCE, {
    seconds: 5,
    resolution: "720p",
    price: 0.1442,
  }),
  "google/gemini-omni-flash/v1.1/text-to-video": omni({}),
  "google/gemini-omni-flash/v1.1/reference-to-video": omni({
    image_urls: links(10).optional(),
    reference_video_urls: links(3).optional(),
  }),
  "xai/grok-imagine-video/image-to-video": video(
    { ...XAI, aspect_ratio: choice("auto", ...XAI_RATIOS), image_url: link },
    grok,
  ),
};

/*
 * Sources: https://fal.ai/docs/documentation/model-apis/errors.md (a list of details with `type`, X-Fal-Retryable),
 * …/model-apis/request-errors (`error_type`), and recorded answers (`no_media_generated` of Google's models).
 */

const TYPES: Readonly<Record<Problem["kind"], string>> = {
  missing: "missing",
  type: "type_error",
  choice: "literal_error",
  short: "string_too_short",
  long: "string_too_long",
  small: "greater_than_equal",
  large: "less_than_equal",
  rule: "value_error",
};

function wordsOf({ kind, expected }: Problem): string {
  if (kind === "missing") return "Field required";
  if (kind === "choice") return `Input should be ${expected}`;
  if (kind === "small") return `Input should be greater than or equal to ${expected}`;
  if (kind === "large") return `Input should be less than or equal to ${expected}`;
  return `Value error, expected ${expected}`;
}

interface Detail {
  loc: readonly string[];
  msg: string;
  type: string;
}

function refused(status: number, details: readonly Detail[], isRetryable: boolean): Answer {
  const detail = details.map((one) => ({
    ...one,
    url: `https://docs.fal.ai/errors#${one.type}`,
    input: null,
  }));
  return json(status, { detail }, { "x-fal-retryable": String(isRetryable) });
}

/** What the result of a task is that was not made; undefined for one that was. */
function failureOf({ outcome, endpoint }: Task): Answer | undefined {
  switch (outcome.kind) {
    case "made":
      return undefined;
    case "input": {
      const details = outcome.problems.map((problem) => ({
        loc: ["body", ...problem.field.split(".")],
        msg: wordsOf(problem),
        type: TYPES[problem.kind],
      }));
      return refused(422, details, false);
    }
    case "policy":
      return refused(422, [policyDetail(endpoint)], false);
    case "reference": {
      const msg = "Failed to download the file. Please check if the URL is accessible and try again.";
      return refused(422, [{ loc: ["body", outcome.field], msg, type: "file_download_error" }], false);
    }
    case "not-started":
      return json(
        504,
        { detail: "Request timed out", error_type: "request_timeout" },
        { "x-fal-request-timeout-type": "user", "x-fal-error-type": "request_timeout" },
      );
    case "failed":
      return refused(
        500,
        [{ loc: ["body"], msg: "Internal server error", type: "internal_server_error" }],
        true,
      );
  }
}

function policyDetail(endpoint: string): Detail {
  if (/nano-banana|veo/.test(endpoint)) {
    const msg = "No media was generated. The prompt may have been refused by the model's safety filters.";
    return { loc: ["body", "prompt"], msg, type: "no_media_generated" };
  }
  const msg =
    "The content could not be processed because it contained material flagged by a content checker.";
  return { loc: ["body", "prompt"], msg, type: "content_policy_violation" };
}

const SIZE_NAMES = [
  "square_hd",
  "square",
  "portrait_4_3",
  "portrait_16_9",
  "landscape_4_3",
  "landscape_16_9",
] as const;
/** An explicit size. */
const pixels = z.object({ width: z.int().min(1).max(14_142), height: z.int().min(1).max(14_142) });

/** `image_size` of an endpoint: a preset, one of its own, or an explicit size. */
function imageSize<const Names extends readonly string[]>(...more: Names) {
  return z.union([z.enum([...SIZE_NAMES, ...more]), pixels]).optional();
}

/** A UUID of version 7, as fal's request ids are. */
function newRequestId(nowMs: number): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(nowMs, 0, 6);
  bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  const hex = bytes.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

/*
 * Sources: https://fal.ai/models/openai/gpt-image-2.5/{flare,sunburst}/{text-to-image,edit}/llms.txt. The two have one
 * schema and one price.
 */

const SHAPE = {
  prompt: text(32_000),
  image_size: imageSize("auto"),
  background: choice("auto", "transparent", "opaque"),
  quality: choice("auto", "low", "medium", "high", "xhigh", "max"),
  num_images: whole(1, 10),
  output_format: choice("jpeg", "png", "webp"),
  output_compression: whole(0, 100),
  sync_mode: flag,
};

const STANDARD = presetSides("landscape_4_3", { width: 1024, height: 768 });

const sidesRule: Rule = ({ image_size: size }) => {
  if (typeof size !== "object" || size === null) return undefined;
  const { width, height } = presetSides(size, STANDARD);
  const pixels = width * height;
  const [short, long] = [Math.min(width, height), Math.max(width, height)];
  const isRight =
    width % 16 === 0 &&
    height % 16 === 0 &&
    long <= 3840 &&
    long <= 3 * short &&
    pixels >= 655_360 &&
    pixels <= 8_294_400;
  if (isRight) return undefined;
  return { field: "image_size", kind: "rule", expected: "sides of whole sixteens within the bounds" };
};

/** Tokens of a picture in `low`, of which each other quality is a multiple. */
const LOW_TOKENS = 158;
const LOW_TOKENS_PER_MEGAPIXEL = 36;
const QUALITY: Readonly<Record<string, number>> = { low: 1, medium: 7 / 3, high: 9, xhigh: 16, max: 36 };
const TOKEN_USD = 30 / 1_000_000;

function priceOf({ width, height }: Sides, quality: unknown): number {
  const low = LOW_TOKENS + (LOW_TOKENS_PER_MEGAPIXEL * width * height) / 1_000_000;
  return low * (QUALITY[String(quality)] ?? 9) * TOKEN_USD;
}

/** A JPEG where nothing else is asked for, whatever its name says. */
function picture(shape: z.ZodRawShape, sidesOf: (input: Json) => Sides, unitPrice: number): Model {
  return {
    schema: z.object(shape),
    results: (input) => images(input, sidesOf(input), imageFormat(input.output_format), input.num_images),
    units: countOf,
    unitPrice,
    unit: "images",
    references: ["image_urls"],
  };
}

const countOf = ({ num_images: count }: Json) => (typeof count === "number" ? count : 1);

/** Its units are taken to be dollars, as those of GPT Image 2 are. */
function gptImage(shape: z.ZodRawShape): Model {
  const sidesOf = ({ image_size: size }: Json) => presetSides(size, STANDARD);
  return {
    ...picture({ ...SHAPE, ...shape }, sidesOf, 1),
    rules: [sidesRule],
    results: (input) =>
      images(input, sidesOf(input), imageFormat(input.output_format, "png"), input.num_images),
    units: (input) => countOf(input) * Number(priceOf(sidesOf(input), input.quality).toFixed(6)),
    unit: "units",
  };
}

const text2image = gptImage({});
const edit = gptImage({ image_urls: links(16), mask_url: link.optional() });

const GPT_IMAGE_2_5: Readonly<Record<string, Model>> = {
  "openai/gpt-image-2.5/flare/text-to-image": text2image,
  "openai/gpt-image-2.5/flare/edit": edit,
  "openai/gpt-image-2.5/sunburst/text-to-image": text2image,
  "openai/gpt-image-2.5/sunburst/edit": edit,
};

/*
 * Sources: https://fal.ai/models/ENDPOINT/llms.txt of each endpoint, and the types of @fal-ai/client 1.10.1
 * (src/types/endpoints.d.ts) where those agree. The types give xai/grok-imagine-image the input of another model.
 */

const PROMPT = { prompt: text(50_000), sync_mode: flag, seed, num_images: whole(1, 4) };
const FORMAT = choice("jpeg", "png", "webp");
const RATIOS = ["21:9", "16:9", "3:2", "4:3", "5:4", "1:1", "4:5", "3:4", "2:3", "9:16"] as const;
const BANANA = {
  ...PROMPT,
  output_format: FORMAT,
  safety_tolerance: choice("1", "2", "3", "4", "5", "6"),
  enable_web_search: flag,
  limit_generations: flag,
};
const BANANA_2_1 = {
  ...BANANA,
  aspect_ratio: choice("auto", ...RATIOS, "4:1", "1:4", "8:1", "1:8"),
  resolution: choice("1K", "2K", "4K"),
  system_prompt: z.string().optional(),
  thinking_level: choice("minimal", "medium", "high"),
};
const BANANA_PRO = {
  ...BANANA,
  aspect_ratio: choice("auto", ...RATIOS),
  resolution: choice("1K", "2K", "4K"),
};

/** The number of pixels of an explicit size. */
function pixelRule(min: number, max: number): Rule {
  return ({ image_size: size }) => {
    const sides = pixels.safeParse(size);
    if (!sides.success) return undefined;
    const count = sides.data.width * sides.data.height;
    if (count >= min && count <= max) return undefined;
    return { field: "image_size", kind: "rule", expected: `total pixels between ${min} and ${max}` };
  };
}

/** It has neither a seed nor `max_images`. */
const SEEDREAM_PRO = {
  prompt: text(50_000),
  sync_mode: flag,
  num_images: whole(1, 6),
  enable_safety_checker: flag,
  output_format: choice("jpeg", "png"),
  image_size: imageSize("auto_1K", "auto_2K"),
};
const FLUX = {
  prompt: text(50_000),
  seed,
  sync_mode: flag,
  enable_safety_checker: flag,
  output_format: choice("jpeg", "png"),
  safety_tolerance: choice("1", "2", "3", "4", "5"),
};
const GROK_RATIOS = [
  "2:1",
  "20:9",
  "19.5:9",
  "16:9",
  "4:3",
  "3:2",
  "1:1",
  "2:3",
  "3:4",
  "9:16",
  "9:19.5",
  "9:20",
  "1:2",
] as const;
const GROK = { ...PROMPT, output_format: FORMAT, resolution: choice("1k", "2k") };

function byRatio(shape: z.ZodRawShape, unitPrice: number): Model {
  return {
    ...picture(shape, (input) => imageSides(input.aspect_ratio, input.resolution), unitPrice),
    units: (input) => countOf(input) * (RESOLUTION_UNITS[String(input.resolution)] ?? 1),
  };
}

/** Billed by tokens: its units are dollars. Source: https://fal.ai/learn/tools/nano-banana-api */
function banana21(shape: z.ZodRawShape): Model {
  const priceOf = ({ resolution }: Json) => BANANA_2_1_USD[String(resolution)] ?? 0.04;
  return {
    ...byRatio({ ...BANANA_2_1, ...shape }, 1),
    units: (input) => countOf(input) * priceOf(input),
    unit: "units",
  };
}

const BANANA_2_1_USD: Readonly<Record<string, number>> = { "2K": 0.062, "4K": 0.134 };

/** Prices of 2K and 4K against that of 1K; a decimal, as `x-fal-billable-units` can be. */
const RESOLUTION_UNITS: Readonly<Record<string, number>> = { "0.5K": 0.75, "2K": 1.5, "4K": 2 };

function bySize(shape: z.ZodRawShape, unitPrice: number, preset: string): Model {
  const standard = presetSides(preset, { width: 1024, height: 1024 });
  return picture(shape, (input) => presetSides(input.image_size, standard), unitPrice);
}

/** Twice the price above 1536 x 1536 pixels. */
function seedreamPro(shape: z.ZodRawShape): Model {
  return {
    ...bySize({ ...SEEDREAM_PRO, ...shape }, 0.0675, "auto_2K"),
    rules: [pixelRule(1024 * 1024, 2048 * 2048)],
    units: (input) => countOf(input) * (pixelsOf(input) > 1536 * 1536 ? 2 : 1),
  };
}

function pixelsOf({ image_size: size }: Json): number {
  const { width, height } = presetSides(size, { width: 2048, height: 2048 });
  return width * height;
}

const EDITED = { image_urls: links(14) };

const IMAGE_MODELS: Readonly<Record<string, Model>> = {
  ...GPT_IMAGE_2_5,
  "google/nano-banana-2.1": banana21({}),
  "google/nano-banana-2.1/edit": banana21(EDITED),
  "bytedance/seedream/v5/pro/text-to-image": seedreamPro({}),
  "bytedance/seedream/v5/pro/edit": seedreamPro({ image_urls: links(10) }),
  "fal-ai/nano-banana-pro": byRatio(BANANA_PRO, 0.15),
  "fal-ai/nano-banana-pro/edit": byRatio({ ...BANANA_PRO, ...EDITED }, 0.15),
  "fal-ai/flux-2-pro": bySize({ ...FLUX, image_size: imageSize() }, 0.03, "landscape_4_3"),
  "fal-ai/flux-2-pro/edit": bySize(
    { ...FLUX, image_size: imageSize("auto"), image_urls: links(9) },
    0.03,
    "square_hd",
  ),
  "fal-ai/z-image/turbo": bySize(
    {
      ...PROMPT,
      acceleration: choice("none", "regular", "high"),
      enable_prompt_expansion: flag,
      enable_safety_checker: flag,
      image_size: imageSize(),
      num_inference_steps: whole(1, 8),
      output_format: FORMAT,
    },
    0.005,
    "landscape_4_3",
  ),
  "xai/grok-imagine-image": byRatio({ ...GROK, aspect_ratio: choice(...GROK_RATIOS) }, 0.02),
};

/** Endpoint → model. An endpoint that is not here is unknown to the stand-in. */
const FAL_MODELS: Readonly<Record<string, Model>> = {
  ...IMAGE_MODELS,
  ...VIDEO_MODELS,
  ...MUSIC_MODELS,
};

/* Source: https://fal.ai/api/openapi/queue/openapi.json?endpoint_id=ENDPOINT, which each llms.txt names. */

const INPUT = "ModelInput";

/** The OpenAPI document of one endpoint, on fal.ai itself; needs no key. */
function answerSchema({ query, headers }: Call): Answer {
  const endpoint = query.get("endpoint_id") ?? "";
  const model = FAL_MODELS[endpoint];
  if (headers.authorization !== undefined) return json(400, { detail: "no key is needed here" });
  if (!model) return json(404, { detail: "Not Found" });
  const schema = z.toJSONSchema(model.schema, {
    io: "input",
    target: "openapi-3.0",
    unrepresentable: "any",
  });
  const content = { "application/json": { schema: { $ref: `#/components/schemas/${INPUT}` } } };
  return json(200, {
    openapi: "3.0.4",
    info: { title: `Queue OpenAPI for ${endpoint}`, version: "1.0.0" },
    components: { schemas: { QueueStatus: { type: "object" }, [INPUT]: schema } },
    paths: {
      [`/${endpoint}/requests/{request_id}/status`]: { get: {} },
      [`/${endpoint}`]: { post: { requestBody: { required: true, content } } },
    },
    servers: [{ url: "https://queue.fal.run" }],
  });
}

/**
 * The output of a model, as its reference describes it.
 * A picture is named and described as `output_format` says, PNG without one, whatever it is.
 */
function outputOf(task: Task, root: string): Json {
  const kind = FAL_MODELS[task.endpoint]?.unit;
  if (kind === "seconds")
    return { video: task.files.map((file) => described(task, file, root, "mp4", "video/mp4"))[0] };
  if (kind === "audios")
    return { audio: task.files.map((file) => described(task, file, root, "mp3", "audio/mpeg"))[0] };
  const { output_format: format = "png" } = task.input;
  const extension = format === "jpeg" ? "jpg" : String(format);
  return {
    images: task.files.map((file) => ({
      ...described(task, file, root, extension, `image/${String(format)}`),
      ...(file.kind === "image" ? { width: file.width, height: file.height } : {}),
    })),
    description: "",
  };
}

function described(task: Task, file: FileSpec, root: string, extension: string, mime: string): Json {
  return {
    url: fileUrl(root, task, file, extension),
    content_type: mime,
    file_name: `output.${extension}`,
    file_size: null,
  };
}

/*
 * Sources: https://docs.fal.ai/platform-apis/v1/models/requests/by-endpoint (what is listed has ended: it is sorted by
 * that), https://docs.fal.ai/platform-apis/v1/models/pricing, src/storage.js of @fal-ai/client 1.10.1.
 */

const LISTED_MAX = 100;
const DAY_MS = 86_400_000;

/** Requests of an endpoint, with what was asked and what came of it. */
function answerList(state: UpstreamState, { query, root }: Call): Answer {
  const endpoint = query.get("endpoint_id");
  if (!endpoint)
    return json(400, { error: { type: "validation_error", message: "endpoint_id is required" } });
  const now = state.time.now();
  const start = Date.parse(query.get("start") ?? "") || now - DAY_MS;
  const items = [...state.tasks.values()]
    .filter((task) => task.service === "fal" && task.endpoint === endpoint && task.acceptedAt >= start)
    .flatMap((task) => listed(task, root, now, query.get("expand") === "payloads"));
  return json(200, {
    items: items.reverse().slice(0, LISTED_MAX),
    next_cursor: null,
    has_more: items.length > LISTED_MAX,
  });
}

function listed(task: Task, root: string, now: number, hasPayloads: boolean): object[] {
  const phase = phaseOf(task, now);
  if (phase.kind !== "ended") return [];
  const isMade = task.outcome.kind === "made";
  const item = {
    request_id: task.id,
    endpoint_id: task.endpoint,
    sent_at: new Date(task.acceptedAt).toISOString(),
    started_at: new Date(task.acceptedAt + task.queueMs).toISOString(),
    ended_at: new Date(phase.at).toISOString(),
    status_code: isMade ? 200 : 422,
    duration: task.runMs / 1000,
  };
  return [
    hasPayloads
      ? { ...item, json_input: task.input, json_output: isMade ? outputOf(task, root) : null }
      : item,
  ];
}

function answerPrices({ query }: Call): Answer {
  const prices = query.getAll("endpoint_id").flatMap((id) => {
    const model = FAL_MODELS[id];
    return model ? [{ endpoint_id: id, unit_price: model.unitPrice, unit: model.unit, currency: "USD" }] : [];
  });
  return json(200, { prices, next_cursor: null, has_more: false });
}

/** Names the address that takes the bytes, and the one where they can be read then. */
function initiateUpload(state: UpstreamState, { json: body, root }: Call): Answer {
  const mime = textOf(body?.content_type);
  const fileName = textOf(body?.file_name);
  if (!mime || !fileName) return json(422, { detail: "content_type and file_name are required" });
  const id = state.newId();
  state.addUpload({ id, service: "fal", fileName, mime, base64: "" });
  const url = `${root}/uploads/${id}/${encodeURIComponent(fileName)}`;
  return json(200, { upload_url: `${url}?signature=${id.slice(0, 8)}`, file_url: url });
}

/** Takes the bytes. The address itself is the right to do so. */
function takeUpload(state: UpstreamState, { named, headers, bytes }: Call): Answer {
  const upload = state.uploads.get(named);
  if (upload?.base64 !== "") return { status: 403 };
  if (headers.authorization !== undefined) state.breach("fal: the key was sent to an upload's address");
  state.addUpload({ ...upload, base64: bytes.toString("base64") });
  return { status: 200 };
}

/*
 * Sources: https://docs.fal.ai/documentation/model-apis/inference/queue, https://fal.ai/docs/inference-api/queue/result
 * (a result is kept for an hour, one of 10 KB or more for six minutes), src/queue.js of @fal-ai/client 1.10.1.
 * Addresses have only the first two parts of an endpoint. Nothing is judged before the result is asked for.
 */

const NOT_FOUND = json(404, { status: "NOT_FOUND" });
const RESULT_LIFE_MS = 3_600_000;
const LARGE_RESULT_BYTES = 10_000;
const LARGE_RESULT_LIFE_MS = 360_000;

function read(state: UpstreamState, call: Call): Submission | Answer {
  const endpoint = call.named;
  const model = FAL_MODELS[endpoint];
  if (!model) {
    state.breach(`fal: unknown endpoint ${endpoint}`);
    return json(404, { detail: `Application '${endpoint.split("/")[1] ?? endpoint}' not found` });
  }
  if (!call.json)
    return json(422, { detail: [{ loc: ["body"], msg: "JSON decode error", type: "json_invalid" }] });
  if (call.headers["x-fal-store-io"] === "0") state.breach(`fal ${endpoint}: the result would not be kept`);
  if (call.json.sync_mode === true)
    state.breach(`fal ${endpoint}: sync_mode makes a result that is not kept`);
  return {
    api: "queue",
    endpoint,
    input: call.json,
    body: call.json,
    model,
    judgement: judge(model, call.json),
    callbackUrl: call.query.get("fal_webhook") ?? undefined,
    id: newRequestId(state.time.now()),
    startTimeoutMs: Number(call.headers["x-fal-request-timeout"] ?? Number.NaN) * 1000 || undefined,
  };
}

function addressesOf({ id, endpoint }: Task, root: string): Json {
  const url = `${root}/${endpoint.split("/", 2).join("/")}/requests/${id}`;
  return { request_id: id, response_url: url, status_url: `${url}/status`, cancel_url: `${url}/cancel` };
}

const taskRoute: Omit<TaskRoute, "answer"> = {
  kind: "task",
  unknown: () => NOT_FOUND,
  strange: (task, { root }) => json(200, { status: "PAUSED", ...addressesOf(task, root) }),
};

function answerCancel(state: UpstreamState, task: Task): Answer {
  return cancelTask(state, task)
    ? json(202, { status: "CANCELLATION_REQUESTED" })
    : json(400, { status: "ALREADY_COMPLETED" });
}

function answerStatus(task: Task, phase: Phase, { root, query }: Call): Answer {
  const known = addressesOf(task, root);
  const logs = query.get("logs") === "1" ? [] : null;
  if (phase.kind === "queued")
    return json(202, { status: "IN_QUEUE", queue_position: phase.position, ...known });
  if (phase.kind === "running") return json(202, { status: "IN_PROGRESS", logs, ...known });
  const done = { status: "COMPLETED", logs, metrics: { inference_time: task.runMs / 1000 }, ...known };
  const error =
    phase.kind === "cancelled" ? "Request was cancelled" : failureOf(task) && "The request failed";
  return json(200, error === undefined ? done : { ...done, error, error_type: errorTypeOf(task, phase) });
}

function errorTypeOf({ outcome }: Task, phase: Phase): string {
  if (phase.kind === "cancelled") return "client_cancelled";
  return outcome.kind === "failed" ? "internal_server_error" : "unprocessable_entity";
}

function answerResult(task: Task, phase: Phase, { root }: Call, now: number): Answer {
  if (phase.kind === "cancelled") {
    return json(499, { detail: "Request was cancelled", error_type: "client_cancelled" });
  }
  if (phase.kind !== "ended") return json(400, { detail: "Request is still in progress" });
  const output = outputOf(task, root);
  const isLarge = JSON.stringify(output).length >= LARGE_RESULT_BYTES;
  if (now > phase.at + (isLarge ? LARGE_RESULT_LIFE_MS : RESULT_LIFE_MS)) return NOT_FOUND;
  const headers = { "x-fal-request-id": task.id, "x-fal-billable-units": String(task.units) };
  return failureOf(task) ?? json(200, output, headers);
}

const OWNERS = "fal-ai|xai|bytedance|kling|openai|google|minimax|blackforestlabs|sonauto";
const TASK_PATH = `/(?:${OWNERS})/[^/]+/requests/([^/]+)`;
const ENDPOINT_PATH = `/((?:${OWNERS})(?:/[\\w.-]+)+)`;

/** fal.ai: queue.fal.run, rest.fal.ai and api.fal.ai at one address. A wrong key is 401, a locked account 403. */
export function falDialect(state: UpstreamState): Dialect {
  const locked = json(403, {
    detail: "User is locked. Reason: Exhausted balance. Top up your balance at fal.ai/dashboard/billing.",
  });
  const throttled = json(429, { detail: "Too many requests" }, { "retry-after": "1" });
  return {
    name: "fal",
    currency: "USD",
    routes: {
      [`GET ${TASK_PATH}/status`]: { ...taskRoute, answer: answerStatus },
      [`PUT ${TASK_PATH}/cancel`]: {
        ...taskRoute,
        isCancel: true,
        answer: (task: Task) => answerCancel(state, task),
      },
      [`GET ${TASK_PATH}`]: {
        ...taskRoute,
        answer: (task, phase, call) => answerResult(task, phase, call, state.time.now()),
      },
      "PUT /uploads/(\\w+)/.*": free((call) => takeUpload(state, call)),
      "POST /storage/upload/initiate": upload((call) => initiateUpload(state, call)),
      "GET /v1/models/requests/by-endpoint": plain((call) => answerList(state, call)),
      "GET /v1/models/pricing": plain(answerPrices),
      "GET /v1/account/billing": plain(() => NO_ADMIN),
      "GET /billing/user_balance": plain(() => answerBalance(state)),
      "GET /api/openapi/queue/openapi.json": free(answerSchema),
      [`POST ${ENDPOINT_PATH}`]: {
        kind: "submit",
        read: (call) => read(state, call),
        accepted: (task, { root }) =>
          json(200, {
            status: "IN_QUEUE",
            ...addressesOf(task, root),
            logs: null,
            metrics: {},
            queue_position: task.queueLength,
          }),
        withoutId: json(200, { status: "IN_QUEUE" }),
      },
    },
    keyOf: ({ headers }) => /^Key (\S+)$/.exec(headers.authorization ?? "")?.[1],
    refusals: {
      "rate-limited": throttled,
      maintenance: json(503, { detail: "Service unavailable", error_type: "runner_scheduling_failure" }),
      "no-credit": locked,
      locked,
      "wrong-key": json(401, { detail: "invalid key credentials" }),
    },
    tooManyQueries: throttled,
    callback(task, root) {
      const failure = failureOf(task);
      const ids = { request_id: task.id, gateway_request_id: task.id };
      return failure
        ? { ...ids, status: "ERROR", error: "Invalid status code: 422", payload: failure.json }
        : { ...ids, status: "OK", payload: outputOf(task, root) };
    },
  };
}
