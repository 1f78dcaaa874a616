import { z } from "zod";
import { choice, text } from "../fields.js";
import { imageSides, videoSides } from "../files/sides.js";
import type { Json } from "../json.js";
import type { Rule } from "../judge.js";
import { aboutOf, film, images, type Model, secondsOf } from "../model.js";

/*
 * Sources: https://polza.ai/docs/api-reference/media/create.md, guides https://polza.ai/docs/gaidy/{nanobanano,veo-3-1,
 * kling-3,seedream-5-lite,suno-music}.md, prices https://polza.ai/models/MODEL. The model pages show parameters of a template, and the
 * guide of Suno names its parameters in words only: there the names of kie are taken, whose models these are.
 */

const PICTURES = z.array(z.object({ type: z.enum(["url", "base64"]), data: z.string().min(1) })).optional();
const RATIOS = ["1:1", "9:16", "16:9", "3:4", "4:3", "3:2", "2:3", "5:4", "4:5", "21:9"] as const;
const SMALL_ONLY = ["27:16", "16:27", "9:8", "8:9"] as const;
const VIDEO_RATIOS = choice("16:9", "9:16", "1:1", "Auto", "auto");
const BANANA = {
  prompt: text(20_000),
  aspect_ratio: choice("auto", ...RATIOS),
  output_format: choice("png", "jpeg", "jpg"),
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
    unitPrice: 1,
    unit: "rubles",
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
  unit: "rubles",
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

export const MODELS: Readonly<Record<string, Model>> = {
  "google/gemini-2.5-flash-image": image(BANANA, 5),
  "google/gemini-3.1-flash-image-preview": image(
    { ...BANANA, image_resolution: choice("1K", "2K", "4K") },
    8,
  ),
  "google/gemini-nano-banana-2.1": image({ ...BANANA, image_resolution: choice("1K", "2K", "4K") }, 8),
  "google/gemini-3-pro-image-preview": image({ ...BANANA, image_resolution: choice("1K", "2K", "4K") }, 16),
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
  "kling/v3": video(
    {
      prompt: text(2500),
      duration: seconds(3, ...Array.from({ length: 12 }, (_, index) => index + 4)),
      aspect_ratio: VIDEO_RATIOS,
      mode: choice("std", "pro", "4K"),
      sound: z.boolean().optional(),
      multi_shots: z.boolean().optional(),
      images: PICTURES,
    },
    5,
    ({ duration }) => 14 * secondsOf(duration, 5),
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
    unitPrice: 1,
    unit: "rubles",
    references: [],
  },
};
