import { z } from "zod";
import { choice, flag, link, links, seed, text, whole } from "../fields.js";
import { imageSides, presetSides } from "../files/sides.js";
import type { Json } from "../json.js";
import type { Rule } from "../judge.js";
import { images, type Model } from "../model.js";
import { GPT_IMAGE_2_5 } from "./gpt-image-2-5.js";
import { imageSize, pixels } from "./image-size.js";

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
const BANANA_2 = {
  ...BANANA,
  aspect_ratio: choice("auto", ...RATIOS, "4:1", "1:4", "8:1", "1:8"),
  resolution: choice("0.5K", "1K", "2K", "4K"),
  thinking_level: choice("minimal", "high"),
};
const BANANA_2_1 = {
  ...BANANA,
  aspect_ratio: BANANA_2.aspect_ratio,
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

const SEEDREAM = {
  ...PROMPT,
  num_images: whole(1, 6),
  max_images: whole(1, 6),
  enable_safety_checker: flag,
  image_size: imageSize("auto_2K", "auto_3K", "auto_4K"),
};
const seedreamPixels = pixelRule(2560 * 1440, 4096 * 4096);
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
const GPT = {
  ...PROMPT,
  background: choice("auto", "transparent", "opaque"),
  quality: choice("low", "medium", "high"),
  output_format: FORMAT,
};

type ImageFormat = "jpeg" | "png" | "webp";

/** What the file really is: a JPEG where nothing else is asked for, whatever its name says. */
function formatOf({ output_format: format }: Json): ImageFormat {
  return format === "png" || format === "webp" ? format : "jpeg";
}

const countOf = (input: Json) => (typeof input.num_images === "number" ? input.num_images : 1);

function byRatio(shape: z.ZodRawShape, unitPrice: number): Model {
  return {
    schema: z.object(shape),
    results: (input) =>
      images(input, imageSides(input.aspect_ratio, input.resolution), formatOf(input), input.num_images),
    units: (input) => countOf(input) * (RESOLUTION_UNITS[String(input.resolution)] ?? 1),
    unitPrice,
    unit: "images",
    references: ["image_urls"],
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

function bySize(shape: z.ZodRawShape, unitPrice: number, preset: string, rules: readonly Rule[] = []): Model {
  const standard = presetSides(preset, { width: 1024, height: 1024 });
  return {
    schema: z.object(shape),
    rules,
    results: (input) =>
      images(input, presetSides(input.image_size, standard), formatOf(input), input.num_images),
    units: countOf,
    unitPrice,
    unit: "images",
    references: ["image_urls"],
  };
}

/** Twice the price above 1536 x 1536 pixels. */
function seedreamPro(shape: z.ZodRawShape): Model {
  const model = bySize({ ...SEEDREAM_PRO, ...shape }, 0.0675, "auto_2K", [
    pixelRule(1024 * 1024, 2048 * 2048),
  ]);
  return { ...model, units: (input) => countOf(input) * (pixelsOf(input) > 1536 * 1536 ? 2 : 1) };
}

function pixelsOf({ image_size: size }: Json): number {
  const { width, height } = presetSides(size, { width: 2048, height: 2048 });
  return width * height;
}

/** Its units are dollars. Source: the pricing API as recorded for openai/gpt-image-2. */
function gpt2(shape: z.ZodRawShape): Model {
  return {
    ...bySize({ ...GPT, ...shape }, 1, "square_hd"),
    units: (input) => countOf(input) * 0.13,
    unit: "units",
  };
}

const edit = { image_urls: links(14) };

export const IMAGE_MODELS: Readonly<Record<string, Model>> = {
  ...GPT_IMAGE_2_5,
  "fal-ai/nano-banana-2": byRatio(BANANA_2, 0.08),
  "fal-ai/nano-banana-2/edit": byRatio({ ...BANANA_2, ...edit }, 0.08),
  "google/nano-banana-2.1": banana21({}),
  "google/nano-banana-2.1/edit": banana21(edit),
  "bytedance/seedream/v5/pro/text-to-image": seedreamPro({}),
  "bytedance/seedream/v5/pro/edit": seedreamPro({ image_urls: links(10) }),
  "fal-ai/nano-banana-pro": byRatio(BANANA_PRO, 0.15),
  "fal-ai/nano-banana-pro/edit": byRatio({ ...BANANA_PRO, ...edit }, 0.15),
  "fal-ai/bytedance/seedream/v5/lite/text-to-image": bySize(SEEDREAM, 0.035, "auto_2K", [seedreamPixels]),
  "fal-ai/bytedance/seedream/v5/lite/edit": bySize({ ...SEEDREAM, image_urls: links(10) }, 0.035, "auto_2K", [
    seedreamPixels,
  ]),
  "fal-ai/bytedance/seedream/v4/text-to-image": bySize(SEEDREAM, 0.03, "auto_2K", [
    pixelRule(960 * 960, 4096 * 4096),
  ]),
  "fal-ai/bytedance/seedream/v4/edit": bySize({ ...SEEDREAM, image_urls: links(10) }, 0.03, "auto_2K", [
    pixelRule(960 * 960, 4096 * 4096),
  ]),
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
  "xai/grok-imagine-image/edit": byRatio(
    { ...GROK, aspect_ratio: choice("auto", ...GROK_RATIOS), image_urls: links(3) },
    0.02,
  ),
  "fal-ai/gpt-image-1.5": bySize(
    { ...GPT, image_size: choice("1024x1024", "1536x1024", "1024x1536") },
    0.13,
    "square_hd",
  ),
  "openai/gpt-image-2": gpt2({ image_size: imageSize("auto") }),
  "openai/gpt-image-2/edit": gpt2({
    image_size: imageSize("auto"),
    image_urls: links(16),
    mask_image_url: link.optional(),
  }),
};
