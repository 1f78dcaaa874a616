import { createCanvas } from "@napi-rs/canvas";
import { noiseOf, smoothStep } from "../noise.js";
import type { Film } from "./film.js";
import type { VideoSize } from "./video-size.js";

/** Pixels on the longer side of the mask, which is enlarged. */
const MASK_SIDE = 120;
/** How soft the edge of what has changed already is; the mask's values reach from 0 to 1. */
const SOFTNESS = 0.28;
/** Half of a change, as a part of the time that each of the films has. */
const HALF_CHANGE = 0.45;

/** Shows films one after the other, each growing out of the one before in clouds. */
export function sequence(films: readonly [Film, ...Film[]], size: VideoSize, seed: string): Film {
  const [first] = films;
  const changes = films.slice(1).map((next, index) => ({
    next,
    middle: (index + 1) / films.length,
    half: HALF_CHANGE / films.length,
  }));
  if (changes.length === 0) return first;
  const mask = dissolveMask(size, seed);
  const layer = createCanvas(size.width, size.height);
  const inner = layer.getContext("2d");
  return {
    paint(ctx, moment) {
      let shown = first;
      for (const { next, middle, half } of changes) {
        const progress = (moment.share - middle + half) / (2 * half);
        if (progress >= 1) shown = next;
        if (progress <= 0 || progress >= 1) continue;
        shown.paint(ctx, moment);
        inner.globalCompositeOperation = "source-over";
        next.paint(inner, moment);
        inner.globalCompositeOperation = "destination-in";
        inner.imageSmoothingQuality = "low";
        inner.drawImage(mask(progress), 0, 0, size.width, size.height);
        ctx.drawImage(layer, 0, 0);
        return;
      }
      shown.paint(ctx, moment);
    },
  };
}

/** Makes the mask of what has changed at a progress of 0 to 1: patches that grow together. */
function dissolveMask({ width, height }: VideoSize, seed: string) {
  const scale = MASK_SIDE / Math.max(width, height);
  const [columns, rows] = [Math.ceil(width * scale), Math.ceil(height * scale)];
  const noise = noiseOf(seed);
  const values = Float32Array.from({ length: columns * rows }, (_, index) => {
    const [x, y] = [index % columns, Math.floor(index / columns)];
    // Stretched, because fractal noise seldom comes near its limits.
    const value = 0.5 + (noise.fractal(x / 34, y / 34, 4) - 0.5) * 1.9;
    return Math.min(1, Math.max(0, value));
  });
  const canvas = createCanvas(columns, rows);
  const ctx = canvas.getContext("2d");
  const picture = ctx.createImageData(columns, rows);
  return (progress: number) => {
    const edge = progress * (1 + SOFTNESS * 2) - SOFTNESS;
    for (const [index, value] of values.entries()) {
      picture.data[index * 4 + 3] = 255 * smoothStep(value - SOFTNESS, value + SOFTNESS, edge);
    }
    ctx.putImageData(picture, 0, 0);
    return canvas;
  };
}
