import { z } from "zod";
import { choice, flag, link, links, seed, text, whole } from "../fields.js";
import { videoSides } from "../files/sides.js";
import type { Json } from "../json.js";
import type { Rule } from "../judge.js";
import { film, type Model, secondsOf } from "../model.js";
import { priceBy } from "./price-by.js";

/* Source: the schema of each model, https://replicate.com/OWNER/NAME/api/schema. */

const prompt = text(50_000);
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
    unitPrice: 1,
    unit: "dollars",
    references,
  };
}

const bySound = (mute: number, loud: number) => (input: Json) =>
  input.generate_audio === false ? mute : loud;
export const VIDEO_MODELS: Readonly<Record<string, Model>> = {
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
