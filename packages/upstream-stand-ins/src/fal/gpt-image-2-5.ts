import { z } from "zod";
import { choice, flag, link, links, text, whole } from "../fields.js";
import { presetSides, type Sides } from "../files/sides.js";
import type { Json } from "../json.js";
import type { Rule } from "../judge.js";
import { images, type Model } from "../model.js";
import { imageSize } from "./image-size.js";

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

/** Its units are taken to be dollars, as those of GPT Image 2 are. */
function model(shape: z.ZodRawShape): Model {
  const sidesOf = ({ image_size: size }: Json) => presetSides(size, STANDARD);
  const countOf = ({ num_images: count }: Json) => (typeof count === "number" ? count : 1);
  return {
    schema: z.object({ ...SHAPE, ...shape }),
    rules: [sidesRule],
    results: (input) => images(input, sidesOf(input), formatOf(input), input.num_images),
    units: (input) => countOf(input) * Number(priceOf(sidesOf(input), input.quality).toFixed(6)),
    unitPrice: 1,
    unit: "units",
    references: ["image_urls"],
  };
}

function formatOf({ output_format: format }: Json): "jpeg" | "png" | "webp" {
  return format === "jpeg" || format === "webp" ? format : "png";
}

const text2image = model({});
const edit = model({ image_urls: links(16), mask_url: link.optional() });

export const GPT_IMAGE_2_5: Readonly<Record<string, Model>> = {
  "openai/gpt-image-2.5/flare/text-to-image": text2image,
  "openai/gpt-image-2.5/flare/edit": edit,
  "openai/gpt-image-2.5/sunburst/text-to-image": text2image,
  "openai/gpt-image-2.5/sunburst/edit": edit,
};
