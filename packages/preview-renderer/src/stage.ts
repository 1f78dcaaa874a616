import { type Canvas, createCanvas, type SKRSContext2D } from "@napi-rs/canvas";
import { type Colour, mix } from "./colour.js";
import type { Palette } from "./palette.js";
import type { Random } from "./random.js";
import type { Scene } from "./words.js";

/**
 * How a layer of a moving picture behaves: clouds and mist `drift`, water makes `waves`, northern light and
 * silk sway as a `curtain`, a `flash` is seen for moments, birds `glide`, boats and balloons `float`.
 */
export type LayerMotion = "still" | "drift" | "waves" | "curtain" | "flash" | "glide" | "float";

/** Takes a picture apart into layers while it is painted, so that they can move by themselves. */
export interface Layers {
  /** Turns the stage to a new, clear canvas before all others. `depth`: 0 far away, 1 close to the viewer. */
  begin(stage: Stage, depth: number, motion: LayerMotion): void;
  /** A new canvas with all layers so far. */
  flattened(): Canvas;
}

/** Everything that a painter of one picture needs. Lengths in pixels. */
export interface Stage {
  canvas: Canvas;
  ctx: SKRSContext2D;
  width: number;
  height: number;
  /** The pixels of 1/1024 of the side of a square as large as the picture: the measure of all things in it. */
  unit: number;
  /** True in quality mode: finer layers, more detail, more glow. */
  isRich: boolean;
  scene: Scene;
  palette: Palette;
  /** The root of the picture's randomness; a painter forks its own stream from it. */
  random: Random;
  /** The y of the horizon. */
  horizon: number;
  /** The centre and radius of the sun or the moon. */
  sun: { x: number; y: number; radius: number };
  /** Present when the picture is going to move. */
  layers?: Layers;
}

/** The depth of the ground on which the subjects stand. */
export const FRONT = 0.8;

/** Says that what follows lies nearer or moves by itself. Nothing changes for a picture that stands still. */
export function beginLayer(stage: Stage, depth: number, motion: LayerMotion = "still"): void {
  stage.layers?.begin(stage, depth, motion);
}

/** Everything that is painted so far. */
export function paintedSoFar(stage: Stage): Canvas {
  return stage.layers?.flattened() ?? stage.canvas;
}

/** The colour that a thing of the colour `own` has at `depth`: 0 on the horizon, 1 in front. */
export function lit({ palette }: Stage, own: Colour, depth: number): Colour {
  const local = mix(palette.near, own, palette.ambient);
  return mix(local, palette.haze, 0.92 * (1 - depth) ** 1.15);
}

/** A gradient from top to bottom, from stops `[position, colour, alpha]`. */
export function vertical(
  ctx: SKRSContext2D,
  top: number,
  bottom: number,
  stops: readonly (readonly [position: number, colour: string])[],
) {
  const gradient = ctx.createLinearGradient(0, top, 0, bottom);
  for (const [position, colour] of stops) gradient.addColorStop(position, colour);
  return gradient;
}

/** A gradient from a centre outwards. */
export function radial(
  ctx: SKRSContext2D,
  x: number,
  y: number,
  radius: number,
  stops: readonly (readonly [position: number, colour: string])[],
) {
  const gradient = ctx.createRadialGradient(x, y, 0, x, y, radius);
  for (const [position, colour] of stops) gradient.addColorStop(position, colour);
  return gradient;
}

/** A small picture whose every pixel `shade` writes as `[r, g, b, a]` of 0 to 255 into `out`. */
export function pixels(
  width: number,
  height: number,
  shade: (x: number, y: number, out: Uint8ClampedArray, offset: number) => void,
): Canvas {
  const canvas = createCanvas(width, height);
  const ctx = canvas.getContext("2d");
  const image = ctx.createImageData(width, height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) shade(x, y, image.data, (y * width + x) * 4);
  }
  ctx.putImageData(image, 0, 0);
  return canvas;
}

/** Draws `canvas` over the box, smoothly enlarged. */
export function spread(
  ctx: SKRSContext2D,
  canvas: Canvas,
  x: number,
  y: number,
  width: number,
  height: number,
): void {
  ctx.imageSmoothingEnabled = true;
  ctx.imageSmoothingQuality = "medium";
  ctx.drawImage(canvas, x, y, width, height);
}
