import { type Canvas, createCanvas, type SKRSContext2D } from "@napi-rs/canvas";
import { coloursOf } from "./colours.js";
import type { ImageSpec } from "./file-spec.js";
import { withProvenance } from "./provenance.js";

/** A gradient with spots in the colours of its prompt, signed where its format can be. */
export async function makePicture(spec: ImageSpec): Promise<Buffer> {
  const canvas = createCanvas(spec.width, spec.height);
  paint(canvas, spec.about, 0);
  return withProvenance(await encode(canvas, spec), spec.format);
}

function encode(canvas: Canvas, { format }: ImageSpec): Promise<Buffer> {
  if (format === "png") return canvas.encode("png");
  return format === "jpeg" ? canvas.encode("jpeg", 80) : canvas.encode("webp", 80);
}

/** @param moment from 0 to 1: the spots go round once */
export function paint(canvas: Canvas, about: string, moment: number): void {
  const { width, height } = canvas;
  const ctx = canvas.getContext("2d");
  const { from, to, spots } = coloursOf(about);
  const gradient = ctx.createLinearGradient(0, 0, width, height);
  gradient.addColorStop(0, from);
  gradient.addColorStop(1, to);
  ctx.fillStyle = gradient;
  ctx.fillRect(0, 0, width, height);
  for (const spot of spots) {
    const angle = 2 * Math.PI * moment;
    const x = (spot.x + 0.1 * Math.sin(angle)) * width;
    const y = (spot.y + 0.1 * (1 - Math.cos(angle))) * height;
    disc(ctx, x, y, spot.radius * Math.min(width, height) * 2, spot.colour);
  }
}

function disc(ctx: SKRSContext2D, x: number, y: number, radius: number, colour: string): void {
  ctx.fillStyle = colour;
  ctx.beginPath();
  ctx.arc(x, y, radius, 0, 2 * Math.PI);
  ctx.fill();
}
