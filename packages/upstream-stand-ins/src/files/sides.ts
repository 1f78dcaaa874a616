/** Width and height of pictures and films by what a request asks for. */

export interface Sides {
  width: number;
  height: number;
}

/** @param ratio such as `16:9`; anything else is a square */
function quotient(ratio: unknown): number {
  const [wide = 1, high = 1] = typeof ratio === "string" ? ratio.split(":").map(Number) : [];
  const value = wide / high;
  return Number.isFinite(value) && value > 0 ? value : 1;
}

const even = (value: number) => Math.max(16, Math.round(value / 2) * 2);

const IMAGE_SIDES: Readonly<Record<string, number>> = { "0.5K": 512, "1K": 1024, "2K": 2048, "4K": 4096 };

/** Computes sides of about as many pixels as the square of the resolution, in whole sixteens. */
export function imageSides(ratio: unknown, resolution: unknown = "1K"): Sides {
  const side = IMAGE_SIDES[String(resolution).toUpperCase()] ?? 1024;
  const root = Math.sqrt(quotient(ratio));
  const sixteens = (value: number) => Math.max(16, Math.round(value / 16) * 16);
  return { width: sixteens(side * root), height: sixteens(side / root) };
}

const PRESETS: Readonly<Record<string, Sides>> = {
  square_hd: { width: 1024, height: 1024 },
  square: { width: 512, height: 512 },
  portrait_4_3: { width: 768, height: 1024 },
  portrait_16_9: { width: 576, height: 1024 },
  landscape_4_3: { width: 1024, height: 768 },
  landscape_16_9: { width: 1024, height: 576 },
  auto_1K: { width: 1024, height: 1024 },
  auto_2K: { width: 2048, height: 2048 },
  auto_3K: { width: 3072, height: 3072 },
};

/** `image_size` of fal: a preset or `{width, height}`. */
export function presetSides(size: unknown, otherwise: Sides): Sides {
  if (typeof size === "string") return PRESETS[size] ?? otherwise;
  if (typeof size !== "object" || size === null) return otherwise;
  const { width, height } = size as { width?: unknown; height?: unknown };
  return typeof width === "number" && typeof height === "number" ? { width, height } : otherwise;
}

const VIDEO_SIDES: Readonly<Record<string, number>> = {
  "360p": 360,
  "480p": 480,
  "720p": 720,
  "1080p": 1080,
  "4k": 2160,
};

/** The short side is the resolution. */
export function videoSides(ratio: unknown, resolution: unknown = "720p"): Sides {
  const side = VIDEO_SIDES[String(resolution).toLowerCase()] ?? 720;
  const shape = /^\d+:\d+$/.test(String(ratio)) ? quotient(ratio) : 16 / 9;
  return shape >= 1
    ? { width: even(side * shape), height: side }
    : { width: side, height: even(side / shape) };
}
