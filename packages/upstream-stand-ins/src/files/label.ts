import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type Canvas, GlobalFonts } from "@napi-rs/canvas";

const FAMILY = "Stand-in label";
const { resolve } = createRequire(import.meta.url);
const SIZE_MIN_PX = 11;

/** Says in a corner who made the picture, so that nobody takes it for the work of the service itself. */
export function paintLabel(canvas: Canvas, maker: string): void {
  if (!GlobalFonts.has(FAMILY))
    GlobalFonts.register(
      readFileSync(resolve("@fontsource/inter/files/inter-latin-600-normal.woff2")),
      FAMILY,
    );
  const size = Math.max(SIZE_MIN_PX, Math.round(0.05 * Math.min(canvas.width, canvas.height)));
  const text = `stand-in of ${maker}`;
  const ctx = canvas.getContext("2d");
  ctx.font = `${size}px "${FAMILY}"`;
  ctx.textBaseline = "middle";
  const [width, height] = [ctx.measureText(text).width + 1.4 * size, 1.9 * size];
  const [x, y] = [size, canvas.height - size - height];
  ctx.fillStyle = "rgba(12, 13, 15, 0.55)";
  ctx.beginPath();
  ctx.roundRect(x, y, width, height, height / 2);
  ctx.fill();
  ctx.fillStyle = "rgba(255, 255, 255, 0.92)";
  ctx.fillText(text, x + 0.7 * size, y + height / 2);
}
