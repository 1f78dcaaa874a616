import type { Stage } from "../stage.js";
import { copyOf } from "./copy.js";

/** Large pixels a unit: 128 for the side of a square picture. */
const PER_UNIT = 1 / 8;
/** Steps of each colour channel. */
const LEVELS = 12;
/** The order in which the pixels of a square of four by four take the next step (Bayer). */
const ORDER = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5] as const;

/** Pixel art: few large pixels of few colours, with ordered dots between two of them. */
export function paintPixels(stage: Stage): void {
  const { ctx, width, height } = stage;
  const small = copyOf(stage, PER_UNIT, "saturate(1.3) contrast(1.12)");
  const inner = small.getContext("2d");
  const image = inner.getImageData(0, 0, small.width, small.height);
  const { data } = image;
  const step = 255 / (LEVELS - 1);
  for (let y = 0, offset = 0; y < small.height; y++) {
    for (let x = 0; x < small.width; x++, offset += 4) {
      const bias = ((ORDER[(y % 4) * 4 + (x % 4)] ?? 0) / 16 - 0.47) * step * 0.5;
      for (let channel = offset; channel < offset + 3; channel++) {
        data[channel] = Math.round(((data[channel] ?? 0) + bias) / step) * step;
      }
      data[offset + 3] = 255;
    }
  }
  inner.putImageData(image, 0, 0);
  ctx.save();
  ctx.imageSmoothingEnabled = false;
  ctx.drawImage(small, 0, 0, width, height);
  ctx.restore();
}
