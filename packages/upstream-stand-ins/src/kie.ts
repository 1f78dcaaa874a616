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
  text,
  textOf,
} from "./call.js";
import { type Dialect, free, plain, type Submission, upload } from "./dialect.js";
import { fileUrl } from "./download.js";
import { imageSides, videoSides } from "./files.js";
import { judge, type Problem, type Rule } from "./judge.js";
import { aboutOf, film, imageFormat, images, type Model, type NewFile, secondsOf } from "./model.js";
import type { UpstreamState } from "./state.js";
import { type Phase, phaseOf, type Task } from "./task.js";

/*
 * Source: docs.kie.ai, Veo 3.1 as a model of the market, as kept in emircskn/zyns, src/lib/registry/generated/catalog.json;
 * how many pictures each use takes: the older page in henjicc/Henji-AI, docs/api/KIE/Veo3.1 API/157.
 */

const imagesOf = ({ image_urls: urls }: Json) => (Array.isArray(urls) ? urls.length : 0);

const imageCount: Rule = (input) => {
  const count = imagesOf(input);
  const type = input.generation_type ?? (count === 0 ? "TEXT_2_VIDEO" : "FIRST_AND_LAST_FRAMES_2_VIDEO");
  const [min, max] = type === "TEXT_2_VIDEO" ? [0, 0] : type === "REFERENCE_2_VIDEO" ? [1, 3] : [1, 2];
  if (count >= min && count <= max) return undefined;
  return { field: "image_urls", kind: "rule", expected: `${min} to ${max} for ${String(type)}` };
};

const referencesTakeEight: Rule = ({ generation_type: type, duration = 8 }) =>
  type === "REFERENCE_2_VIDEO" && duration !== 8
    ? { field: "duration", kind: "rule", expected: "8 for REFERENCE_2_VIDEO" }
    : undefined;

const VEO_CREDITS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  veo3: { "720p": 250, "1080p": 255, "4k": 370 },
  veo3_fast: { "720p": 60, "1080p": 65, "4k": 180 },
};
/** A film of words alone in 4K costs more. */
const TEXT_4K_EXTRA = 10;

function creditsOf(input: Json): number {
  const { model = "veo3_fast", resolution = "720p" } = input;
  const credits = VEO_CREDITS[String(model)]?.[String(resolution)] ?? 0;
  const isTextIn4k = model === "veo3" && resolution === "4k" && imagesOf(input) === 0;
  return isTextIn4k ? credits + TEXT_4K_EXTRA : credits;
}

const VEO: Model = {
  schema: z.object({
    prompt: text(20_000),
    model: choice("veo3", "veo3_fast"),
    aspect_ratio: choice("16:9", "9:16", "auto"),
    image_urls: z.array(link).optional(),
    generation_type: choice("TEXT_2_VIDEO", "FIRST_AND_LAST_FRAMES_2_VIDEO", "REFERENCE_2_VIDEO"),
    resolution: choice("720p", "1080p", "4k"),
    duration: z.union([z.literal(4), z.literal(6), z.literal(8)]).optional(),
  }),
  rules: [imageCount, referencesTakeEight],
  results: (input) =>
    film(input, videoSides(input.aspect_ratio, input.resolution), secondsOf(input.duration, 8)),
  units: creditsOf,
  references: ["image_urls"],
};

/*
 * Source: docs.kie.ai/suno-api/generate-music, as kept in emircskn/zyns, src/lib/registry/generated/catalog.json: an idea, or
 * lyrics, style and title; two tracks. Longest texts: the older page in henjicc/Henji-AI, docs/api/KIE/Suno API/171.
 */

const weight = z.number().min(0).max(1).multipleOf(0.01).optional();
const CREDITS = 12;
const IDEA_MAX = 500;
const DURATIONS_SEC = [64.2, 71.8] as const;

/** Lyrics are named for themselves; `prompt` is the idea of the simple mode. */
const needsTexts: Rule = (input) => {
  const needed = input.custom_mode !== true ? ["prompt"] : ["style", "title"];
  if (input.custom_mode === true && input.instrumental !== true) needed.push("lyrics");
  const field = needed.find((name) => !textOf(input[name]));
  return field === undefined ? undefined : { field, kind: "missing", expected: "" };
};

const fits: Rule = (input) => {
  const limits: Readonly<Record<string, number>> = { prompt: IDEA_MAX, lyrics: 5000, style: 1000, title: 80 };
  for (const [field, max] of Object.entries(limits)) {
    if (String(input[field] ?? "").length > max) return { field, kind: "long", expected: String(max) };
  }
  return undefined;
};

/** Lengths and weights belong to the custom mode. */
const simpleIsSimple: Rule = (input) => {
  if (input.custom_mode === true) return undefined;
  const names = ["duration", "vocal_gender", "style_weight", "weirdness_constraint", "audio_weight"];
  const field = names.find((name) => input[name] !== undefined);
  return field === undefined ? undefined : { field, kind: "rule", expected: "custom_mode" };
};

function results(input: Json): NewFile[] {
  const about = aboutOf(input);
  const title = textOf(input.title) ?? "Quiet Harbour";
  return DURATIONS_SEC.flatMap((durationSec, index) => [
    { kind: "audio", format: "mp3", durationSec, about: `${about} ${index}`, title },
    { kind: "image", format: "jpeg", width: 512, height: 512, about: `${about} ${index}` },
  ]);
}

const SUNO: Model = {
  schema: z.object({
    model: z.enum(["V6", "V6_MINI", "V6_WILD"]),
    custom_mode: z.boolean(),
    instrumental: z.boolean(),
    prompt: z.string().optional(),
    lyrics: z.string().optional(),
    style: z.string().optional(),
    title: z.string().optional(),
    negative_tags: z.string().optional(),
    vocal_gender: choice("m", "f"),
    style_weight: weight,
    weirdness_constraint: weight,
    audio_weight: weight,
    duration: z.number().min(10).max(360).optional(),
    variety: z.unknown().optional(),
  }),
  rules: [needsTexts, simpleIsSimple, fits],
  results,
  units: () => CREDITS,
};

/** The result of a finished task: each track with its cover. */
function tracksOf(task: Task, root: string): Json[] {
  return DURATIONS_SEC.flatMap((_, index) => {
    const [track, cover] = [task.files[index * 2], task.files[index * 2 + 1]];
    if (track?.kind !== "audio" || !cover) return [];
    return {
      id: track.id,
      audio_url: fileUrl(root, task, track),
      stream_audio_url: fileUrl(root, task, track),
      image_url: fileUrl(root, task, cover, "jpeg"),
      prompt: textOf(task.input.lyrics) ?? textOf(task.input.prompt) ?? "",
      model_name: "chirp-v6",
      title: track.title,
      tags: textOf(task.input.style) ?? "",
      create_time: task.acceptedAt,
      duration: track.durationSec,
    };
  });
}

/*
 * Source: docs.kie.ai, the OpenAPI page of each market model, as kept in henjicc/Henji-AI, docs/api/KIE/Video Models;
 * bytedance/seedance-2-5: the builder there in use, src/models/kie/seedance-2.5.model.ts.
 */

const KLING_25 = {
  prompt: text(2500),
  duration: choice("5", "10"),
  negative_prompt: z.string().max(2500).optional(),
  cfg_scale: z.number().min(0).max(1).optional(),
};
const KLING_SECONDS = ["3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15"] as const;
const SEEDANCE = {
  prompt: z.string().min(3).max(20_000).optional(),
  first_frame_url: link.optional(),
  last_frame_url: link.optional(),
  reference_image_urls: z.array(link).max(9).optional(),
  reference_video_urls: z.array(link).max(3).optional(),
  reference_audio_urls: z.array(link).max(3).optional(),
  return_last_frame: flag,
  generate_audio: flag,
  aspect_ratio: choice("1:1", "4:3", "3:4", "16:9", "9:16", "21:9", "adaptive"),
  duration: z.int().min(4).max(15).optional(),
  web_search: flag,
  nsfw_checker: flag,
};
/** What `mode` of Kling 3.0 and `resolution` of the others mean. */
const MODES: Readonly<Record<string, string>> = { std: "720p", pro: "1080p", "4K": "4k" };

function video(shape: z.ZodRawShape, seconds: number, creditsPerSecond: number): Model {
  return {
    schema: z.object(shape),
    results: (input) => {
      const resolution = input.resolution ?? MODES[String(input.mode)] ?? "720p";
      return film(input, videoSides(input.aspect_ratio, resolution), secondsOf(input.duration, seconds));
    },
    units: (input) => secondsOf(input.duration, seconds),
    unitPrice: creditsPerSecond,
    references: [
      "image_url",
      "tail_image_url",
      "image_urls",
      "first_frame_url",
      "last_frame_url",
      "reference_image_urls",
    ],
  };
}

const VIDEO_MODELS: Readonly<Record<string, Model>> = {
  "kling/v2-5-turbo-text-to-video-pro": video(
    { ...KLING_25, aspect_ratio: choice("16:9", "9:16", "1:1") },
    5,
    8.4,
  ),
  "kling/v2-5-turbo-image-to-video-pro": video(
    { ...KLING_25, image_url: link, tail_image_url: link.optional() },
    5,
    8.4,
  ),
  "kling-3.0/video": video(
    {
      prompt: z.string().max(2500).optional(),
      image_urls: z.array(link).max(2).optional(),
      sound: flag,
      duration: choice(...KLING_SECONDS),
      aspect_ratio: choice("16:9", "9:16", "1:1"),
      mode: choice("std", "pro", "4K"),
      multi_shots: flag,
      multi_prompt: z.array(z.unknown()).optional(),
      kling_elements: z.array(z.unknown()).optional(),
    },
    5,
    18,
  ),
  "kling/v3-turbo-text-to-video": video(
    {
      prompt: text(2500),
      duration: z.enum(KLING_SECONDS),
      aspect_ratio: z.enum(["1:1", "9:16", "16:9"]),
      resolution: z.enum(["720p", "1080p"]),
    },
    5,
    18,
  ),
  "kling/v3-turbo-image-to-video": video(
    {
      prompt: text(2500),
      image_urls: links(2),
      duration: z.enum(KLING_SECONDS),
      resolution: z.enum(["720p", "1080p"]),
    },
    5,
    18,
  ),
  "bytedance/seedance-2-5": video(
    {
      ...SEEDANCE,
      prompt: z.string().min(3).max(30_000).optional(),
      resolution: choice("480p", "720p", "1080p"),
      duration: z.int().min(4).max(30).optional(),
      reference_image_urls: z.array(link).max(30).optional(),
      reference_video_urls: z.array(link).max(10).optional(),
      reference_audio_urls: z.array(link).max(10).optional(),
    },
    5,
    63,
  ),
  "grok-imagine-video-1-5-preview": video(
    {
      prompt: z.string().max(4096).optional(),
      image_urls: z.array(link).max(1).optional(),
      aspect_ratio: choice("1:1", "16:9", "9:16", "3:2", "2:3", "auto"),
      resolution: choice("480p", "720p"),
      duration: z.int().min(1).max(15).optional(),
      nsfw_checker: flag,
    },
    8,
    3,
  ),
  "gemini-omni-video": video(
    {
      prompt: text(20_000),
      image_urls: z.array(link).optional(),
      audio_ids: z.array(z.string()).optional(),
      video_list: z.array(z.object({ url: link, start: z.number(), ends: z.number() })).optional(),
      character_ids: z.array(z.string()).optional(),
      duration: z.enum(["4", "6", "8", "10"]),
      aspect_ratio: choice("16:9", "9:16"),
      seed: z.int().optional(),
      resolution: choice("720p", "1080p", "4k"),
    },
    8,
    20,
  ),
};

/*
 * Source: docs.kie.ai, the OpenAPI page of each market model, as kept in henjicc/Henji-AI, docs/api/KIE/Image Models.
 * The models of autumn 2026 (nano-banana-2-lite, nano-banana-2-1, gpt-image-2-5, seedream/5-pro, grok-imagine-image-2-0) and
 * the shortest prompts come from an extract of those pages in emircskn/zyns, src/lib/registry/generated/catalog.json.
 */

const BANANA_RATIOS = ["1:1", "2:3", "3:2", "3:4", "4:3", "4:5", "5:4", "9:16", "16:9", "21:9"] as const;
const GPT_RATIOS = ["auto", "1:1", "3:2", "2:3", "4:3", "3:4", "16:9", "9:16", "21:9"] as const;
const RESOLUTION = choice("1K", "2K", "4K");
const nsfw = { nsfw_checker: flag };

/** The page tells no longest prompt: that of a program in use stands for it. */
const seedreamPro = {
  prompt: text(5000, 3),
  aspect_ratio: z.enum(["1:1", "4:3", "3:4", "16:9", "9:16", "2:3", "3:2", "21:9"]),
  quality: z.enum(["basic", "high"]),
  output_format: choice("png", "jpeg"),
  ...nsfw,
};
const FLUX_RATIOS = ["1:1", "4:3", "3:4", "16:9", "9:16", "3:2", "2:3"] as const;
const flux = {
  prompt: text(5000, 3),
  aspect_ratio: z.enum(FLUX_RATIOS),
  resolution: z.enum(["1K", "2K"]),
  ...nsfw,
};
const SMALL_RATIOS = ["27:16", "16:27", "9:8", "8:9"] as const;
const gpt25 = {
  prompt: text(20_000),
  aspect_ratio: choice(...GPT_RATIOS, ...SMALL_RATIOS),
  resolution: RESOLUTION,
  background: choice("transparent", "opaque", "auto"),
};
const smallRatios: Rule = ({ aspect_ratio: ratio, resolution = "1K" }) =>
  SMALL_RATIOS.some((small) => small === ratio) && resolution !== "1K"
    ? { field: "resolution", kind: "rule", expected: `1K for ${String(ratio)}` }
    : undefined;
const banana21 = {
  prompt: text(20_000),
  aspect_ratio: choice("auto", ...BANANA_RATIOS, "1:4", "1:8", "4:1", "8:1"),
  image_input: z.array(z.url()).max(14).optional(),
  output_format: choice("jpg", "png"),
  resolution: RESOLUTION,
};

function image(shape: z.ZodRawShape, credits: number, format: "png" | "jpeg" = "png"): Model {
  const resolutionOf = ({ resolution, quality }: Json) => resolution ?? (quality === undefined ? "1K" : "2K");
  return {
    schema: z.object(shape),
    results: (input) =>
      images(
        input,
        imageSides(input.aspect_ratio, resolutionOf(input)),
        imageFormat(input.output_format, format),
      ),
    units: () => 1,
    unitPrice: credits,
    references: ["image_input", "image_urls", "input_urls"],
  };
}

/** Its quality is the resolution, and so its price. */
function pro(shape: z.ZodRawShape): Model {
  return {
    ...image(shape, 7),
    results: (input) => images(input, imageSides(input.aspect_ratio, resolutionOfPro(input)), "png"),
    units: (input) => (resolutionOfPro(input) === "2K" ? 2 : 1),
  };
}

function resolutionOfPro({ quality }: Json): string {
  return quality === "high" ? "2K" : "1K";
}

const IMAGE_MODELS: Readonly<Record<string, Model>> = {
  "nano-banana-2-1": image(banana21, 4, "jpeg"),
  "nano-banana-2-lite": image(
    {
      prompt: text(20_000),
      aspect_ratio: z.enum(["auto", ...BANANA_RATIOS, "1:4", "1:8", "4:1", "8:1"]),
      image_urls: z.array(z.url()).max(10).optional(),
    },
    4,
    "jpeg",
  ),
  "nano-banana-pro": image(
    {
      prompt: text(10_000),
      aspect_ratio: choice("auto", ...BANANA_RATIOS),
      image_input: z.array(z.url()).max(8).optional(),
      output_format: choice("jpg", "png"),
      resolution: RESOLUTION,
    },
    18,
  ),
  "seedream/5-pro-text-to-image": pro(seedreamPro),
  "seedream/5-pro-image-to-image": pro({ ...seedreamPro, image_urls: links(10) }),
  "flux-2/pro-text-to-image": image(flux, 5),
  "flux-2/pro-image-to-image": image(
    { ...flux, aspect_ratio: z.enum(["auto", ...FLUX_RATIOS]), input_urls: links(8) },
    5,
  ),
  "z-image": image(
    { prompt: text(1000), aspect_ratio: z.enum(["1:1", "4:3", "3:4", "16:9", "9:16"]), ...nsfw },
    0.8,
  ),
  "grok-imagine-image-2-0/text-to-image": image(
    { prompt: text(5000), aspect_ratio: z.enum(["1:1", "2:3", "3:2", "16:9", "9:16"]) },
    4,
    "jpeg",
  ),
  "gpt-image-2-5-flare-text-to-image": { ...image(gpt25, 6), rules: [smallRatios] },
  "gpt-image-2-5-flare-image-to-image": {
    ...image({ ...gpt25, input_urls: links(16) }, 6),
    rules: [smallRatios],
  },
  "gpt-image-2-5-sunburst-text-to-image": { ...image(gpt25, 6), rules: [smallRatios] },
  "gpt-image-2-5-sunburst-image-to-image": {
    ...image({ ...gpt25, input_urls: links(16) }, 6),
    rules: [smallRatios],
  },
};

/*
 * Source: docs.kie.ai (codes of each page) and recorded answers: everything is HTTP 200, the code stands in the body,
 * and a refused field of a market model is code 500.
 */

function done(data: unknown): Answer {
  return json(200, { code: 200, msg: "success", data });
}

function refused(code: number, msg: string): Answer {
  return json(200, { code, msg, data: null });
}

const RECORD_IS_NULL = refused(422, "recordInfo is null");

/** The words for the first refused field. */
function wordsOf({ field, kind }: Problem): string {
  if (kind === "missing") return "This field is required";
  if (kind === "long") return "The text length cannot exceed the maximum limit";
  return `${field} is not within the range of allowed options`;
}

/** Something in front of the service refuses what does not say what program it is. */
function refusedByFront({ headers }: Call): Answer | undefined {
  return headers["user-agent"] === undefined
    ? { status: 403, bytes: Buffer.from("error code: 1010") }
    : undefined;
}

/*
 * Source: the list behind https://kie.ai/pricing, in October 2026. Some prices have an address that names the model's
 * id, others only one of a page, or none. All values of a record but `discountPrice` are texts.
 */

const PAGE_SIZE_MAX = 100;

type Price = readonly [description: string, credits: string, unit: string, anchor: string, provider?: string];

const priceOfImage = (
  model: string,
  id: string,
  byResolution: readonly string[],
  use: string,
): readonly Price[] =>
  byResolution.map((credits, index) => [
    `${model}, ${use}, ${["1k", "2k", "4k"][index]}`,
    credits,
    "per image",
    `https://kie.ai/${model.replaceAll(" ", "-")}?model=${encodeURIComponent(id)}`,
  ]);

const seconds = (name: string, anchor: string, prices: Readonly<Record<string, string>>): readonly Price[] =>
  Object.entries(prices).map(([use, credits]) => [`${name}, ${use}`, credits, "per second", anchor]);

const OMNI = ["63", "84", "105", "126", "147", "168", "189", "210"];

const PRICES: readonly Price[] = [
  ...priceOfImage("gpt image 2", "gpt-image-2-text-to-image", ["6", "10", "16"], "text-to-image"),
  ...priceOfImage("gpt image 2", "gpt-image-2-image-to-image", ["6", "10", "16"], "image-to-image"),
  ["gpt image 2 5 flare, text-to-image, 1k", "6", "per image", "https://kie.ai/gpt-image-2-5", "OpenAI"],
  ["gpt image 2 5 flare, text-to-image, 2k", "10", "per image", "https://kie.ai/gpt-image-2-5", "OpenAI"],
  ["gpt image 2 5 flare, text-to-image, 4k", "16", "per image", "https://kie.ai/gpt-image-2-5", "OpenAI"],
  ["seedream 5 Pro, text-to-image, 1k", "7", "per image", "", "ByteDance"],
  ["seedream 5 Pro, text-to-image, 2k", "14", "per image", "", "ByteDance"],
  ["grok imagine, text-to-image", "4", "per 2 images", "", "Grok"],
  ["grok imagine image 2 0, text to image", "4", "per image", "", "Grok"],
  ["Qwen z-image, text-to-image,1.0s", "0.8", "per image", "", "Qwen"],
  ["Google veo 3.1, text-to-video, Fast-720p", "60", "per video", "https://kie.ai/veo-3-1", "Google"],
  ["Google veo 3.1, text-to-video, Fast-1080p", "65", "per video", "https://kie.ai/veo-3-1", "Google"],
  ["Google veo 3.1, text-to-video, Fast-4K", "180", "per video", "https://kie.ai/veo-3-1", "Google"],
  ["Google veo 3.1, text-to-video, Quality-720p", "250", "per video", "https://kie.ai/veo-3-1", "Google"],
  ["Google veo 3.1, text-to-video, Quality-1080p", "255", "per video", "https://kie.ai/veo-3-1", "Google"],
  ["Google veo 3.1, text-to-video, Quality-4K", "380", "per video", "https://kie.ai/veo-3-1", "Google"],
  ["Google veo 3.1, image-to-video, Quality-4K", "370", "per video", "https://kie.ai/veo-3-1", "Google"],
  ...priceOfImage("flux 2", "flux-2/pro-text-to-image", ["5.0", "7.0"], "text to image"),
  ...priceOfImage("flux 2", "flux-2/pro-image-to-image", ["5.0", "7.0"], "image to image"),
  ["Google nano banana 2, 1K", "8", "per image", "https://kie.ai/nano-banana-2", "Google"],
  ["Google nano banana 2, 2K", "12", "per image", "https://kie.ai/nano-banana-2", "Google"],
  ["Google nano banana 2, 4K", "18", "per image", "https://kie.ai/nano-banana-2", "Google"],
  ["Google nano banana pro, 1/2K", "18", "per image", "", "Google"],
  ["Google nano banana pro, 4K", "24", "per image", "", "Google"],
  ["nano-banana-2-lite, 1k", "4", "per image", "https://kie.ai/nano-banana-2-lite", "Google"],
  ["seedream 5 Pro, input image, First image free", "0.5", "per image", "", "ByteDance"],
  ...seconds("grok-imagine-video-1-5-preview, image-to-video", "", { "480p": "2.4", "720p": "4.5" }),
  ...seconds("bytedance/seedance-2-5", "https://kie.ai/seedance-2-5", {
    "480p no video": "28",
    "720p no video": "63",
  }),
  ...seconds("Kling 3.0 Turbo", "https://kie.ai/kling-3-0?model=kling%2Fv3-turbo-text-to-video", {
    "720p": "18",
    "1080p": "22.5",
  }),
  ...OMNI.map((credits): Price => [`Gemini Omni video, video, ${credits}`, credits, "per vedio", ""]),
  ["gpt-6-luna, chat, Input", "6", "per million tokens", "https://kie.ai/gpt-6?model=gpt-6-luna", "OpenAI"],
  ["Suno, generate-music", "12", "per request", "https://kie.ai/suno-api", "Suno"],
];

/** All prices by pages; needs no key. */
function answerPrices({ json: body, headers }: Call): Answer {
  if (headers.authorization !== undefined) return json(400, { msg: "no key is needed here" });
  const size = Math.min(wholeOf(body?.pageSize, 10), PAGE_SIZE_MAX);
  const current = wholeOf(body?.pageNum, 1);
  return done({
    records: PRICES.slice((current - 1) * size, current * size).map(priceRecordOf),
    total: PRICES.length,
    size,
    current,
    pages: Math.ceil(PRICES.length / size),
  });
}

function wholeOf(given: unknown, otherwise: number): number {
  return typeof given === "number" && Number.isInteger(given) && given > 0 ? given : otherwise;
}

function priceRecordOf([modelDescription, creditPrice, creditUnit, anchor, provider = ""]: Price): object {
  const interfaceType = creditUnit === "per second" ? "video" : "image";
  const usdPrice = String(Number(creditPrice) * 0.005);
  return {
    modelDescription,
    interfaceType,
    provider,
    creditPrice,
    creditUnit,
    usdPrice,
    anchor,
    discountPrice: false,
  };
}

/*
 * Sources: docs.kie.ai, file upload API (as kept in henjicc/Henji-AI) and recorded answers, which have no `fileUrl`;
 * docs.kie.ai/common-api/download-url: a link of twenty minutes.
 */

const LINK_LIFE_MS = 20 * 60_000;

/** A file of the same name takes the place of the earlier one. */
function answerUpload(state: UpstreamState, { json: fields, files, root }: Call): Answer {
  const file = files.find(({ name }) => name === "file");
  if (!file || !textOf(fields?.uploadPath))
    return json(200, { success: false, code: 400, msg: "file and uploadPath are required" });
  const { mime, bytes } = file;
  const fileName = textOf(fields?.fileName ?? file.fileName) ?? `${state.newId()}.bin`;
  const id = state.uploadNamed("kie", fileName)?.id ?? state.newId();
  state.addUpload({ id, service: "kie", fileName, mime, base64: bytes.toString("base64") });
  const data = {
    fileName,
    filePath: `kieai/uploads/${fileName}`,
    downloadUrl: `${root}/uploads/${id}/${encodeURIComponent(fileName)}`,
    fileSize: bytes.length,
    mimeType: mime,
    uploadedAt: new Date(state.time.now()).toISOString(),
  };
  return json(200, { success: true, code: 200, msg: "File uploaded successfully", data });
}

/** A fresh link of a result, for twenty minutes. */
function answerDownloadUrl(state: UpstreamState, { json: body }: Call): Answer {
  const url = textOf(body?.url);
  if (!url || !URL.canParse(url)) return refused(422, "url is required");
  const fresh = new URL(url);
  if (!fresh.pathname.startsWith("/files/kie/")) return refused(422, "The url was not made by this service");
  fresh.searchParams.set("fresh", String(state.time.now() + LINK_LIFE_MS));
  return done(fresh.href);
}

/*
 * Source: docs.kie.ai/market/common/get-task-detail and the pages of the models, as kept in henjicc/Henji-AI.
 */

const SUNO_MODEL = "ai-music-api/generate";
const MODELS: Readonly<Record<string, Model>> = {
  ...IMAGE_MODELS,
  ...VIDEO_MODELS,
  "veo-3-1": VEO,
  [SUNO_MODEL]: SUNO,
};
const BODY_FIELDS: ReadonlySet<string> = new Set(["model", "callBackUrl", "progressCallBackUrl", "input"]);

function read({ json: body }: Call): Submission | Answer {
  const endpoint = textOf(body?.model);
  const model = endpoint === undefined ? undefined : MODELS[endpoint];
  if (!body || endpoint === undefined) return refused(422, "The model field is required");
  if (!model)
    return refused(422, "The model name you specified is not supported. Please verify the model name.");
  const input = isRecord(body.input) ? body.input : {};
  const { problems, unknown } = judge(model, input);
  const [problem] = problems;
  const strays = Object.keys(body).filter((name) => !BODY_FIELDS.has(name));
  return {
    api: "market",
    endpoint,
    input,
    body,
    model,
    judgement: { problems, unknown: [...unknown, ...strays] },
    refused: problem && refused(500, wordsOf(problem)),
    callbackUrl: textOf(body.callBackUrl),
  };
}

/** Just after it was created a task is not known yet. */
function recordLagMs(task: Task): number {
  return Math.min(500, task.queueMs / 4);
}

function recordOf(task: Task, phase: Phase, root: string, now: number): Json {
  const isEnded = phase.kind === "ended";
  const failure = isEnded ? failureOf(task) : undefined;
  const { input, endpoint, callbackUrl } = task;
  return {
    taskId: task.id,
    model: endpoint,
    state: failure
      ? "fail"
      : isEnded
        ? "success"
        : phase.kind === "running"
          ? "generating"
          : waiting(task, now),
    param: JSON.stringify({ model: endpoint, callBackUrl: callbackUrl, input }),
    resultJson: isEnded && !failure ? JSON.stringify(resultOf(task, root)) : "",
    failCode: failure?.code ?? null,
    failMsg: failure?.msg ?? null,
    costTime: isEnded ? Math.round((task.queueMs + task.runMs) / 1000) : null,
    completeTime: isEnded ? phase.at : null,
    createTime: task.acceptedAt,
    updateTime: now,
    creditsConsumed: isEnded && !failure ? task.price.amount : 0,
  };
}

function resultOf(task: Task, root: string): Json {
  if (task.endpoint === SUNO_MODEL) return { data: tracksOf(task, root) };
  return { resultUrls: task.files.map((file) => fileUrl(root, task, file)) };
}

function waiting(task: Task, now: number): "waiting" | "queuing" {
  return now - task.acceptedAt < task.queueMs / 2 ? "waiting" : "queuing";
}

function failureOf({ outcome, endpoint }: Task): { code: string; msg: string } | undefined {
  switch (outcome.kind) {
    case "policy":
      return {
        code: "400",
        msg:
          endpoint === SUNO_MODEL
            ? "Song Description contained artist name or producer tag"
            : "Your request was flagged as sensitive. Please change the prompt and try again.",
      };
    case "reference":
      return {
        code: "451",
        msg: "Failed to fetch the image. Verify any access limits set by you or your provider.",
      };
    case "failed":
      return { code: "501", msg: "Internal Error, Please try again later." };
    default:
      return undefined;
  }
}

const GOOD_CREDITS = 5000;
/** Less than any task costs, as an account usually runs out. */
const CREDITS_LEFT = 3;

/** kie.ai: api.kie.ai and kieai.redpandaai.co at one address. Refusals are HTTP 200 with a code in the body. */
export function kieDialect(state: UpstreamState): Dialect {
  const throttled = refused(429, "The call frequency is too high. Please try again later.");
  return {
    name: "kie",
    currency: "kie_credit",
    routes: {
      "POST /api/v1/jobs/createTask": {
        kind: "submit",
        read,
        accepted: (task) => done({ taskId: task.id, recordId: task.id }),
        withoutId: done(null),
      },
      "GET /api/v1/jobs/recordInfo": {
        kind: "task",
        idOf: ({ query }) => query.get("taskId") ?? "",
        unknown: () => RECORD_IS_NULL,
        strange: (task) =>
          done({ taskId: task.id, model: task.endpoint, state: "reviewing", resultJson: "" }),
        answer(task, phase, { root }) {
          const now = state.time.now();
          if (now - task.acceptedAt < recordLagMs(task)) return RECORD_IS_NULL;
          return done(recordOf(task, phase, root, now));
        },
      },
      "POST /api/file-stream-upload": upload((call) => answerUpload(state, call)),
      "POST /api/v1/common/download-url": plain((call) => answerDownloadUrl(state, call)),
      "POST /client/v1/model-pricing/page": free(answerPrices),
      "GET /api/v1/chat/credit": plain(() =>
        done(state.account("kie") === "good" ? GOOD_CREDITS : CREDITS_LEFT),
      ),
    },
    keyOf: bearerOf,
    gate: refusedByFront,
    refusals: {
      "rate-limited": throttled,
      maintenance: refused(455, "The system is under maintenance."),
      "policy-at-submit": refused(400, "Your prompt was flagged by Website as violating content policies."),
      "no-credit": refused(
        402,
        "Credits insufficient. Your current balance isn't enough to run this request.",
      ),
      locked: refused(433, "The API key's limit has been reached."),
      "wrong-key": refused(401, "You do not have access permissions"),
    },
    tooManyQueries: throttled,
    callback: (task, root) => {
      const now = state.time.now();
      return { code: 200, msg: "success", data: recordOf(task, phaseOf(task, now), root, now) };
    },
  };
}
