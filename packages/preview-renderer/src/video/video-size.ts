import { ratioOf } from "../size.js";

/** A picture's sides in pixels, both even, as yuv420p needs them. */
export interface VideoSize {
  width: number;
  height: number;
}

/** The shorter side of each resolution, in pixels. */
const SHORTER_SIDES: Readonly<Record<string, number>> = {
  "480p": 480,
  "720p": 720,
  "1080p": 1080,
  "4k": 2160,
};
const DEFAULT_SIDE = 720;
const DEFAULT_RATIO = 16 / 9;
/** A start frame lends its shape only up to this ratio of its longer to its shorter side. */
export const NATURAL_RATIO_MAX = 3;

const even = (length: number): number => Math.round(length / 2) * 2;

/**
 * The sides of a video. The shorter side is 480, 720, 1080 or 2160 pixels for `480p`, `720p`, `1080p` and
 * `4K`, and 720 without a resolution; the longer side is the nearest even number that gives the ratio
 * (16:9 at 480p is 854 × 480). `auto` and a missing ratio mean the start frame's, within 3:1, else 16:9.
 * @param natural width by height of the start frame, if there is one
 */
export function videoSizeOf(aspectRatio: unknown, resolution: unknown, natural?: number): VideoSize {
  const clamped = natural && Math.min(NATURAL_RATIO_MAX, Math.max(1 / NATURAL_RATIO_MAX, natural));
  const ratio = ratioOf(aspectRatio) ?? clamped ?? DEFAULT_RATIO;
  const name = typeof resolution === "string" ? resolution.toLowerCase() : "";
  const side = SHORTER_SIDES[name] ?? DEFAULT_SIDE;
  return ratio >= 1
    ? { width: even(side * ratio), height: side }
    : { width: side, height: even(side / ratio) };
}
