import { z } from "zod";
import { choice, flag, links, seed, text, whole } from "../fields.js";
import { imageSides } from "../files/sides.js";
import type { Json } from "../json.js";
import type { Rule } from "../judge.js";
import { images, type Model } from "../model.js";
import { priceBy } from "./price-by.js";

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
    results: (input) => images(input, sides(input), formatOf(input.output_format), input.number_of_images),
    units: price,
    unitPrice: 1,
    unit: "dollars",
    references: [field],
  };
}

function sidesOf({ aspect_ratio: ratio, resolution, size }: Json) {
  const exact = /^(\d+)x(\d+)$/.exec(String(ratio));
  if (exact) return { width: Number(exact[1]), height: Number(exact[2]) };
  return imageSides(ratio, resolution === "4 MP" ? "2K" : (resolution ?? size));
}

function formatOf(format: unknown): "png" | "jpeg" | "webp" {
  return format === "png" || format === "webp" ? format : "jpeg";
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

export const IMAGE_MODELS: Readonly<Record<string, Model>> = {
  "google/nano-banana-2": picture({
    schema: z.object({
      ...NANO,
      aspect_ratio: choice("match_input_image", ...NANO_RATIOS, "1:4", "1:8", "4:1", "8:1"),
      image_search: flag,
      google_search: flag,
    }),
    price: priceBy({ "1K": 0.067, "2K": 0.101, "4K": 0.151 }, "resolution", "1K"),
    field: "image_input",
  }),
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
