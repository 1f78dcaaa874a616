import type { Json } from "./json.js";
import type { SizeValue } from "./value.js";

interface Sides {
  width: number;
  height: number;
}

/** Computes a size. @returns the field that the rule does not know where there is no size */
export function sizeOf(
  rule: SizeValue,
  ratio: string | undefined,
  resolution: string | undefined,
): { size: Json } | { unknownField: "aspect_ratio" | "resolution" } {
  const preset = presetOf(rule, ratio, resolution);
  if (preset !== undefined) return { size: preset };
  const shape = shapeOf(ratio);
  if (shape === undefined) return { unknownField: "aspect_ratio" };
  const pixels = pixelsOf(rule, resolution);
  if (pixels === undefined) return { unknownField: "resolution" };
  const { width, height } = fitted(rule, shape, pixels);
  return { size: rule.size === "WxH" ? `${width}x${height}` : { width, height } };
}

function presetOf({ presets = {} }: SizeValue, ratio = "", resolution = ""): Json | undefined {
  const key = [`${ratio} ${resolution}`, ratio].find((name) => Object.hasOwn(presets, name));
  return key === undefined ? undefined : presets[key];
}

/** Divides width by height; undefined for a ratio that is no W:H. */
function shapeOf(ratio = ""): number | undefined {
  const [, width, height] = /^([1-9]\d*):([1-9]\d*)$/.exec(ratio) ?? [];
  return width === undefined ? undefined : Number(width) / Number(height);
}

function pixelsOf({ pixels }: SizeValue, resolution = ""): number | undefined {
  if (typeof pixels === "number") return pixels;
  return Object.hasOwn(pixels, resolution) ? pixels[resolution] : undefined;
}

/** Computes the sides nearest to shape and pixels that keep every bound, rounding the longer side down where needed. */
function fitted(rule: SizeValue, shape: number, wanted: number): Sides {
  const { multiple = 1, pixels_min = 1, pixels_max = Number.POSITIVE_INFINITY } = rule;
  const { side_max = Number.POSITIVE_INFINITY } = rule;
  const pixels = Math.min(Math.max(wanted, pixels_min), pixels_max);
  const long = Math.min(Math.sqrt(pixels * Math.max(shape, 1 / shape)), side_max);
  const steps = (side: number, round: (number: number) => number) =>
    Math.max(1, round(side / multiple)) * multiple;
  const sides = (longer: number) => {
    const shorter = steps(longer / Math.max(shape, 1 / shape), Math.round);
    return shape >= 1 ? { width: longer, height: shorter } : { width: shorter, height: longer };
  };
  const area = ({ width, height }: Sides) => width * height;
  let longer = Math.min(steps(long, Math.round), steps(side_max, Math.floor));
  while (area(sides(longer)) > pixels_max && longer > multiple) longer -= multiple;
  while (area(sides(longer)) < pixels_min && longer + multiple <= side_max) longer += multiple;
  return sides(longer);
}
