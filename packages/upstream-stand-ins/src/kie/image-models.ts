import { z } from "zod";
import { choice, flag, links, text } from "../fields.js";
import { imageSides } from "../files/sides.js";
import type { Json } from "../json.js";
import type { Rule } from "../judge.js";
import { images, type Model } from "../model.js";

/*
 * Source: docs.kie.ai, the OpenAPI page of each market model, as kept in henjicc/Henji-AI, docs/api/KIE/Image Models.
 * Those of autumn 2026 (nano-banana-2-lite, nano-banana-2-1, gpt-image-2-5, seedream/5-pro, grok-imagine-image-2-0) and the
 * shortest prompts: an extract of those pages in emircskn/zyns, src/lib/registry/generated/catalog.json.
 */

const BANANA_RATIOS = ["1:1", "2:3", "3:2", "3:4", "4:3", "4:5", "5:4", "9:16", "16:9", "21:9"] as const;
const GPT_RATIOS = [
  "auto",
  ...[
    "1:1",
    "3:2",
    "2:3",
    "4:3",
    "3:4",
    "5:4",
    "4:5",
    "16:9",
    "9:16",
    "2:1",
    "1:2",
    "3:1",
    "1:3",
    "21:9",
    "9:21",
  ],
] as const;
const RESOLUTION = choice("1K", "2K", "4K");
const nsfw = { nsfw_checker: flag };

const seedream = {
  prompt: text(3000, 3),
  aspect_ratio: z.enum(["1:1", "4:3", "3:4", "16:9", "9:16", "2:3", "3:2", "21:9"]),
  quality: z.enum(["basic", "high"]),
  ...nsfw,
};
/** The page tells no longest prompt: that of a program in use stands for it. */
const seedreamPro = {
  prompt: text(5000, 3),
  aspect_ratio: seedream.aspect_ratio,
  quality: seedream.quality,
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
const gpt = {
  prompt: text(20_000),
  aspect_ratio: choice("auto", ...GPT_RATIOS.slice(1)),
  resolution: RESOLUTION,
};
const SMALL_RATIOS: readonly unknown[] = ["27:16", "16:27", "9:8", "8:9"];
const gpt25 = {
  prompt: text(20_000),
  aspect_ratio: choice(
    "auto",
    "1:1",
    "3:2",
    "2:3",
    "4:3",
    "3:4",
    "16:9",
    "9:16",
    "21:9",
    "27:16",
    "16:27",
    "9:8",
    "8:9",
  ),
  resolution: RESOLUTION,
  background: choice("transparent", "opaque", "auto"),
};
const smallRatios: Rule = ({ aspect_ratio: ratio, resolution = "1K" }) =>
  SMALL_RATIOS.includes(ratio) && resolution !== "1K"
    ? { field: "resolution", kind: "rule", expected: `1K for ${String(ratio)}` }
    : undefined;
/** nano-banana-2 and its successor have the same fields. */
const banana2 = {
  prompt: text(20_000),
  aspect_ratio: choice("auto", ...BANANA_RATIOS, "1:4", "1:8", "4:1", "8:1"),
  image_input: z.array(z.url()).max(14).optional(),
  output_format: choice("jpg", "png"),
  resolution: RESOLUTION,
};

/** Pictures of one task of the first Grok Imagine, as recorded. */
const GROK_PICTURES = 6;

function image(shape: z.ZodRawShape, credits: number, format: "png" | "jpeg" = "png", count = 1): Model {
  const formatOf = ({ output_format: asked }: Json) =>
    asked === "jpg" ? "jpeg" : asked === "png" ? "png" : format;
  const resolutionOf = ({ resolution, quality }: Json) => resolution ?? (quality === undefined ? "1K" : "2K");
  return {
    schema: z.object(shape),
    results: (input) =>
      images(input, imageSides(input.aspect_ratio, resolutionOf(input)), formatOf(input), count),
    units: () => 1,
    unitPrice: credits,
    unit: "images",
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

export const IMAGE_MODELS: Readonly<Record<string, Model>> = {
  "nano-banana-2": image(banana2, 8, "jpeg"),
  "nano-banana-2-1": image(banana2, 4, "jpeg"),
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
  "seedream/5-lite-text-to-image": image(seedream, 5.5),
  "seedream/5-lite-image-to-image": image({ ...seedream, image_urls: links(14) }, 5.5),
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
  "grok-imagine/text-to-image": image(
    {
      prompt: text(5000),
      aspect_ratio: choice("2:3", "3:2", "1:1", "16:9", "9:16"),
      enable_pro: flag,
      ...nsfw,
    },
    4,
    "jpeg",
    GROK_PICTURES,
  ),
  "grok-imagine-image-2-0/text-to-image": image(
    { prompt: text(5000), aspect_ratio: z.enum(["1:1", "2:3", "3:2", "16:9", "9:16"]) },
    4,
    "jpeg",
  ),
  "grok-imagine/image-to-image": image(
    { prompt: z.string().max(390_000).optional(), image_urls: links(5), ...nsfw },
    4,
    "jpeg",
  ),
  "gpt-image-2-text-to-image": image(gpt, 6),
  "gpt-image-2-image-to-image": image({ ...gpt, input_urls: links(16) }, 6),
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
