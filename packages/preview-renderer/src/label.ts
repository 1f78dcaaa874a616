import type { SKRSContext2D } from "@napi-rs/canvas";
import { fontOf } from "./type/fonts.js";

const TEXT = "local preview";

/** Place of the label, in pixels. */
interface LabelBox {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** The box of the label in the lower right corner of a picture. */
export function labelBox(width: number, height: number): LabelBox {
  const size = Math.max(9, Math.sqrt(width * height) / 78);
  const box = { width: size * 8.1, height: size * 1.85 };
  return { ...box, x: width - box.width - size * 0.95, y: height - box.height - size * 0.95 };
}

/** Writes "local preview" into the corner, so that nobody takes the picture for the model's. */
export function paintLabel(ctx: SKRSContext2D, width: number, height: number): void {
  const { x, y, width: wide, height: tall } = labelBox(width, height);
  ctx.save();
  ctx.fillStyle = "rgba(10,12,20,0.34)";
  ctx.beginPath();
  ctx.roundRect(x, y, wide, tall, tall / 2);
  ctx.fill();
  ctx.fillStyle = "rgba(255,255,255,0.86)";
  ctx.font = fontOf(500, tall / 1.85, ["latin"]);
  ctx.textAlign = "center";
  ctx.textBaseline = "alphabetic";
  ctx.fillText(TEXT, x + wide / 2, y + tall * 0.675);
  ctx.restore();
}
