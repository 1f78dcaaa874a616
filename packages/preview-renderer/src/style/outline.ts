import { createCanvas } from "@napi-rs/canvas";
import { type Stage, spread } from "../stage.js";
import { copyOf, pixelsOf } from "./copy.js";

const PER_UNIT = 1.25;
const INK = [34, 38, 56] as const;
const PAPER = [251, 248, 241] as const;
/** Differences from the surroundings, of 255, where a line begins to be seen and where it is black. */
const FAINT = 1.3;
const FULL = 4.6;

/** A drawing: lines of ink on paper where the picture changes. */
export function paintOutline(stage: Stage): void {
  const { ctx, width, height } = stage;
  const near = copyOf(stage, PER_UNIT, "blur(1.1px)");
  const fine = pixelsOf(near);
  const wide = pixelsOf(copyOf(stage, PER_UNIT, "blur(3.4px)"));
  const drawing = createCanvas(near.width, near.height);
  const inner = drawing.getContext("2d");
  const image = inner.createImageData(near.width, near.height);
  for (let offset = 0; offset < fine.length; offset += 4) {
    let depth = 0;
    for (let channel = offset; channel < offset + 3; channel++) {
      depth = Math.max(depth, (wide[channel] ?? 0) - (fine[channel] ?? 0));
    }
    const ink = Math.min(1, Math.max(0, (depth - FAINT) / (FULL - FAINT)));
    for (const channel of [0, 1, 2] as const) {
      image.data[offset + channel] = PAPER[channel] + (INK[channel] - PAPER[channel]) * ink;
    }
    image.data[offset + 3] = 255;
  }
  inner.putImageData(image, 0, 0);
  spread(ctx, drawing, 0, 0, width, height);
}
