import { type Canvas, createCanvas } from "@napi-rs/canvas";
import type { Stage } from "../stage.js";

/**
 * A copy of the picture for a filter that looks at every pixel: of the same shape, but of one size for all
 * resolutions, so that a filter costs the same and looks the same in each.
 * @param perUnit pixels of the copy for each unit of the stage
 * @param filter of CSS, applied while copying
 */
export function copyOf({ canvas, width, height, unit }: Stage, perUnit: number, filter = "none"): Canvas {
  const copy = createCanvas(
    Math.max(1, Math.round((width / unit) * perUnit)),
    Math.max(1, Math.round((height / unit) * perUnit)),
  );
  const ctx = copy.getContext("2d");
  ctx.imageSmoothingQuality = "high";
  ctx.drawImage(canvas, 0, 0, copy.width, copy.height);
  if (filter === "none") return copy;
  const filtered = createCanvas(copy.width, copy.height);
  const out = filtered.getContext("2d");
  out.filter = filter;
  out.drawImage(copy, 0, 0);
  return filtered;
}

/** All pixels of a canvas, four bytes each. */
export function pixelsOf(canvas: Canvas): Uint8ClampedArray {
  return canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
}
