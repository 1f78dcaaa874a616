import { createCanvas } from "@napi-rs/canvas";
import { paintScene } from "../image.js";
import { paintLabel } from "../label.js";
import { canSet, settable } from "../type/fonts.js";
import { sceneOf } from "../words.js";

/** Each side in pixels, as Telegram wants the thumbnail of a track. */
export const COVER_SIDE = 320;
const JPEG_QUALITY = 88;
/** Painted twice as large, so that fine things stay smooth. */
const PAINTED_SIDE = COVER_SIDE * 2;

/**
 * Paints the cover of a track: a scene from its words, or a poster of its title where they name nothing, with the
 * label. A JPEG of 320 by 320 pixels.
 */
export function coverOf(prompt: string, title: string, model: string, seed: number): Buffer {
  const sides = { width: PAINTED_SIDE, height: PAINTED_SIDE };
  const task = { request: { type: "music", model_key: model, prompt }, model, seed } as const;
  const read = sceneOf(prompt, "cover");
  const shown = read.place === "poster" && canSet(title) ? { ...read, title: [settable(title)] } : read;
  const scene = paintScene({ task, scene: shown, ...sides, isRich: true, references: [] });
  const canvas = createCanvas(COVER_SIDE, COVER_SIDE);
  const ctx = canvas.getContext("2d");
  ctx.imageSmoothingEnabled = true;
  ctx.imageSmoothingQuality = "high";
  ctx.drawImage(scene, 0, 0, COVER_SIDE, COVER_SIDE);
  paintLabel(ctx, COVER_SIDE, COVER_SIDE);
  return canvas.encodeSync("jpeg", JPEG_QUALITY);
}
