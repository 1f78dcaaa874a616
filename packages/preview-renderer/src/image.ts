import { join } from "node:path";
import type { Canvas } from "@napi-rs/canvas";
import { paintArt } from "./art.js";
import { editOf, paintEdit } from "./edit.js";
import { randomOfWish } from "./random.js";
import { openReferences } from "./references.js";
import { type RenderedFile, type RenderTask, store, type Wish } from "./task.js";
import { paintLabel, paintWording, type TypePlace, type Wording, wordingOf } from "./type.js";

/** Quality of the lossy WebP, 0 to 100. */
const WEBP_QUALITY = 85;
/** Telegram takes a photo whose sides add up to at most this, in pixels. */
const SIDES_SUM_MAX = 10_000;
/** Telegram takes a photo whose longer side is at most this many times the shorter one. */
const RATIO_MAX = 20;
/** A reference lends its shape only up to this ratio. */
export const NATURAL_RATIO_MAX = 3;
/** Each side is a multiple of this many pixels. */
const SIDE_STEP = 8;

const RATIO = /^(\d{1,5}(?:\.\d{1,4})?):(\d{1,5}(?:\.\d{1,4})?)$/;
const RESOLUTION = /^(\d{1,2}(?:\.\d)?)K$/i;

/** @throws RenderError */
export async function renderImage(task: RenderTask): Promise<RenderedFile[]> {
  // All shapes of one resolution have the same area.
  const { width, height } = sizeOf(1, task.request.resolution);
  const canvas = paintImage(task, await openReferences(task.references, width * height));
  const path = join(task.directory, "image.webp");
  await store(path, canvas.encodeSync("webp", WEBP_QUALITY));
  return [{ path, mime: "image/webp", width: canvas.width, height: canvas.height }];
}

/**
 * Paints the picture of a wish: abstract art that its words colour, with the words set in type; or, with references,
 * those pictures with the edits that the words ask for. The same wish gives the same pixels. The ratio of `auto` is
 * the first reference's, within 3:1, else 1:1. `generation_mode: "quality"` paints finer.
 * @param references open pictures
 */
export function paintImage(wish: Wish, references: readonly Canvas[]): Canvas {
  const { request } = wish;
  const prompt = request.prompt ?? "";
  const [first] = references;
  const edit = first && editOf(prompt);
  const natural = edit?.steps.includes("square") ? 1 : first && naturalRatioOf(first);
  const size = sizeOf(ratioOf(request.aspect_ratio) ?? natural ?? 1, request.resolution);
  const canvas = edit
    ? paintEdit(wish, references, size, edit)
    : paintPoster(wish, prompt, size, request.generation_mode === "quality");
  paintLabel(canvas.getContext("2d"), canvas.width, canvas.height);
  return canvas;
}

/** Abstract art with words on it. */
export function paintPoster(
  wish: Wish,
  words: string,
  size: { width: number; height: number },
  isRich: boolean,
  wording: Wording = wordingOf(words),
): Canvas {
  const place = typePlaceOf(wish);
  const { canvas, palette } = paintArt(wish, words, size, isRich, place);
  paintWording(canvas.getContext("2d"), wording, place, { ...size, palette });
  return canvas;
}

/** The places that the words of a wish may take: mostly the foot. */
export function typePlaceOf(wish: Wish): TypePlace {
  return randomOfWish(wish).fork("place").pick(["bottom", "bottom", "bottom", "top"]);
}

export function naturalRatioOf({ width, height }: Canvas): number {
  return Math.min(NATURAL_RATIO_MAX, Math.max(1 / NATURAL_RATIO_MAX, width / height));
}

/** Width divided by height of `a:b`; `undefined` for anything else (`auto`, nothing, zero). */
export function ratioOf(aspectRatio: unknown): number | undefined {
  const match = typeof aspectRatio === "string" ? RATIO.exec(aspectRatio) : null;
  const ratio = match ? Number(match[1]) / Number(match[2]) : Number.NaN;
  return Number.isFinite(ratio) && ratio > 0 ? ratio : undefined;
}

/**
 * The sides of a picture. All ratios of one resolution have the same area: `1K` is 1024² pixels, `2K` 2048²,
 * `4K` 4096², and `nK` (1024·n)²; anything else counts as `1K`. So the sides are `√(area·ratio)` and
 * `√(area/ratio)`, each rounded to a multiple of 8; the area is met within 2 %.
 *
 * A ratio beyond 20:1 is cut to it. Where the sides would add up to more than 10 000 pixels, which only happens at
 * 4K with ratios beyond 3.6:1, both shrink until they fit. At most 4K is made.
 * @param ratio width divided by height
 */
export function sizeOf(ratio: number, resolution: unknown): { width: number; height: number } {
  const match = typeof resolution === "string" ? RESOLUTION.exec(resolution) : null;
  const side = 1024 * Math.min(4, Math.max(0.25, match ? Number(match[1]) : 1));
  const shape = Math.sqrt(Math.min(RATIO_MAX, Math.max(1 / RATIO_MAX, ratio)));
  const fit = Math.min(1, (SIDES_SUM_MAX - SIDE_STEP) / (side * (shape + 1 / shape)));
  const stepped = (length: number): number => Math.max(1, Math.round(length / SIDE_STEP)) * SIDE_STEP;
  return { width: stepped(side * shape * fit), height: stepped((side / shape) * fit) };
}
