import type { SKRSContext2D } from "@napi-rs/canvas";
import { labelBox } from "../label.js";
import { canSet, fontOf, settable } from "../type/fonts.js";

/** The box in which a note may lie, beside the label, in pixels. */
export function noteBox(width: number, height: number) {
  const label = labelBox(width, height);
  const x = width - label.x - label.width;
  return { x, y: label.y, width: label.x - x * 2, height: label.height };
}

/** Writes into the lower left corner what was asked of the picture and is only shown by a real model. */
export function paintNote(ctx: SKRSContext2D, width: number, height: number, undone: string): void {
  if (!canSet(undone)) return;
  const { x, y, width: room, height: tall } = noteBox(width, height);
  const size = tall / 1.85;
  const lead = /\p{Script=Cyrillic}/u.test(undone) ? "демо" : "preview";
  ctx.save();
  ctx.font = fontOf(500, size);
  const text = fitted(ctx, `${lead}: ${settable(undone)}`, room - size * 1.6);
  ctx.fillStyle = "rgba(10,12,20,0.34)";
  ctx.beginPath();
  ctx.roundRect(x, y, ctx.measureText(text).width + size * 1.6, tall, tall / 2);
  ctx.fill();
  ctx.fillStyle = "rgba(255,255,255,0.86)";
  ctx.textAlign = "left";
  ctx.textBaseline = "alphabetic";
  ctx.fillText(text, x + size * 0.8, y + tall * 0.675);
  ctx.restore();
}

/** Cut with dots to the width. A letter is at least a quarter of the size wide. */
function fitted(ctx: SKRSContext2D, text: string, width: number): string {
  if (text.length < 400 && ctx.measureText(text).width <= width) return text;
  const letters = [...text].slice(0, 400);
  while (letters.length > 1 && ctx.measureText(`${letters.join("").trimEnd()}…`).width > width) letters.pop();
  return `${letters.join("").trimEnd()}…`;
}
