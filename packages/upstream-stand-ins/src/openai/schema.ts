import { z } from "zod";
import { choice, flag, text } from "../fields.js";
import type { Json } from "../json.js";
import type { Rule } from "../judge.js";
import { images, type Model } from "../model.js";

/*
 * Source: openai/openai-openapi, openapi.json (CreateImageRequest, CreateImageEditRequest), and recorded answers:
 * any size of whole sixteens from gpt-image-2 on, within limits of sides, shape and pixels.
 */

const SIZE = /^(\d+)x(\d+)$/;
const SIDE_MAX = 3840;
const RATIO_MAX = 3;
const PIXELS_MIN = 655_360;
const PIXELS_MAX = 8_294_400;
const QUALITY_USD: Readonly<Record<string, number>> = { low: 0.011, medium: 0.042, high: 0.167 };

const sizeFits: Rule = ({ size }) => {
  if (size === undefined || size === "auto") return undefined;
  const sides = sidesOf(size);
  if (!sides) return { field: "size", kind: "rule", expected: "WIDTHxHEIGHT" };
  const [long, short] = [Math.max(...sides), Math.min(...sides)];
  const [width, height] = sides;
  if (width % 16 !== 0 || height % 16 !== 0)
    return { field: "size", kind: "rule", expected: "sides divisible by 16" };
  if (long > SIDE_MAX) return { field: "size", kind: "rule", expected: `sides up to ${SIDE_MAX}` };
  if (long / short > RATIO_MAX) return { field: "size", kind: "rule", expected: "a shape of at most 3:1" };
  const pixels = width * height;
  if (pixels >= PIXELS_MIN && pixels <= PIXELS_MAX) return undefined;
  return { field: "size", kind: "rule", expected: `from ${PIXELS_MIN} to ${PIXELS_MAX} pixels` };
};

const noTransparentJpeg: Rule = ({ background, output_format: format }) =>
  background === "transparent" && format === "jpeg"
    ? { field: "background", kind: "rule", expected: "png or webp for transparent" }
    : undefined;

function sidesOf(size: unknown): [number, number] | undefined {
  const [, width, height] = SIZE.exec(String(size)) ?? [];
  return width === undefined || height === undefined ? undefined : [Number(width), Number(height)];
}

/** What is used where a request leaves it open. */
export function resolved(input: Json): {
  size: string;
  quality: string;
  background: string;
  output_format: string;
} {
  const or = (value: unknown, otherwise: string) =>
    typeof value === "string" && value !== "auto" ? value : otherwise;
  return {
    size: or(input.size, "1024x1024"),
    quality: or(input.quality, "medium"),
    background: or(input.background, "opaque"),
    output_format: or(input.output_format, "png"),
  };
}

const shape = {
  model: z.enum([
    "gpt-image-1",
    "gpt-image-1.5",
    "gpt-image-2",
    "gpt-image-2.5-flare",
    "gpt-image-2.5-sunburst",
  ]),
  prompt: text(32_000),
  n: z.int().min(1).max(10).optional(),
  size: z.string().optional(),
  quality: choice("low", "medium", "high", "auto"),
  background: choice("transparent", "opaque", "auto"),
  output_format: choice("png", "jpeg", "webp"),
  output_compression: z.int().min(0).max(100).optional(),
  stream: flag,
  partial_images: z.int().min(0).max(3).optional(),
  user: z.string().optional(),
};

function model(schema: z.ZodObject): Model {
  return {
    schema,
    rules: [sizeFits, noTransparentJpeg],
    results(input) {
      const { size, output_format: asked } = resolved(input);
      const [width, height] = sidesOf(size) ?? [1024, 1024];
      const format = asked === "jpeg" || asked === "webp" ? asked : "png";
      return images(input, { width, height }, format, input.n);
    },
    units: (input) =>
      (typeof input.n === "number" ? input.n : 1) * (QUALITY_USD[resolved(input).quality] ?? 0.042),
    unitPrice: 1,
    unit: "dollars",
    references: [],
  };
}

export const GENERATION = model(z.object({ ...shape, moderation: choice("low", "auto") }));
export const EDIT = model(z.object(shape));
