import { z } from "zod";

const SIZE_NAMES = [
  "square_hd",
  "square",
  "portrait_4_3",
  "portrait_16_9",
  "landscape_4_3",
  "landscape_16_9",
] as const;
/** An explicit size. */
export const pixels = z.object({ width: z.int().min(1).max(14_142), height: z.int().min(1).max(14_142) });

/** `image_size` of an endpoint: a preset, one of its own, or an explicit size. */
export function imageSize<const Names extends readonly string[]>(...more: Names) {
  return z.union([z.enum([...SIZE_NAMES, ...more]), pixels]).optional();
}
