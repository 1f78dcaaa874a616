/** A picture's sides in pixels. */
interface Size {
  width: number;
  height: number;
}

/** Telegram takes a photo whose sides add up to at most this, in pixels. */
const SIDES_SUM_MAX = 10_000;
/** Telegram takes a photo whose longer side is at most this many times the shorter one. */
const RATIO_MAX = 20;
/** Each side is a multiple of this many pixels. */
const SIDE_STEP = 8;

const RATIO = /^(\d{1,5}(?:\.\d{1,4})?):(\d{1,5}(?:\.\d{1,4})?)$/;
const RESOLUTION = /^(\d{1,2}(?:\.\d)?)K$/i;

/** Width divided by height of `a:b`; `undefined` for anything else (`auto`, nothing, zero). */
export function ratioOf(aspectRatio: unknown): number | undefined {
  const match = typeof aspectRatio === "string" ? RATIO.exec(aspectRatio) : null;
  const ratio = match ? Number(match[1]) / Number(match[2]) : Number.NaN;
  return Number.isFinite(ratio) && ratio > 0 ? ratio : undefined;
}

/**
 * The sides of a picture. All ratios of one resolution have the same area: `1K` is 1024² pixels,
 * `2K` 2048², `4K` 4096², and `nK` (1024·n)²; anything else counts as `1K`. So the sides are
 * `√(area·ratio)` and `√(area/ratio)`, each rounded to a multiple of 8; the area is met within 2 %.
 * The longer side is 1024·n at 1:1 and grows with the ratio (1K: 1256 at 3:2, 1368 at 16:9, 1568 at 21:9).
 *
 * A ratio beyond 20:1 is cut to it. Where the sides would add up to more than 10 000 pixels, which only
 * happens at 4K with ratios beyond 3.6:1, both shrink until they fit. At most 4K is made.
 * @param ratio width divided by height
 */
export function sizeOf(ratio: number, resolution: unknown): Size {
  const match = typeof resolution === "string" ? RESOLUTION.exec(resolution) : null;
  const side = 1024 * Math.min(4, Math.max(0.25, match ? Number(match[1]) : 1));
  const shape = Math.sqrt(Math.min(RATIO_MAX, Math.max(1 / RATIO_MAX, ratio)));
  const fit = Math.min(1, (SIDES_SUM_MAX - SIDE_STEP) / (side * (shape + 1 / shape)));
  const stepped = (length: number): number => Math.max(1, Math.round(length / SIDE_STEP)) * SIDE_STEP;
  return { width: stepped(side * shape * fit), height: stepped((side / shape) * fit) };
}
