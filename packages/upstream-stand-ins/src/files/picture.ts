import { type Canvas, createCanvas, type SKRSContext2D } from "@napi-rs/canvas";
import type { ImageSpec } from "./file-spec.js";
import { paintLabel } from "./label.js";
import { withProvenance } from "./provenance.js";
import { type Hill, type Scenery, sceneryOf } from "./scenery.js";

/** The ridges of hills are drawn in so many pieces. */
const RIDGE_POINTS = 120;

/** Hills under a sky, in the colours of its prompt, signed where its format can be. */
export async function makePicture(spec: ImageSpec, maker: string): Promise<Buffer> {
  const canvas = createCanvas(spec.width, spec.height);
  paint(canvas, spec.about, 0);
  paintLabel(canvas, maker);
  return withProvenance(await encode(canvas, spec), spec.format);
}

function encode(canvas: Canvas, { format }: ImageSpec): Promise<Buffer> {
  if (format === "png") return canvas.encode("png");
  return format === "jpeg" ? canvas.encode("jpeg", 80) : canvas.encode("webp", 80);
}

/** @param moment from 0 to 1: the sun goes up and down once, and near hills pass by faster than far ones */
export function paint(canvas: Canvas, about: string, moment: number): void {
  const ctx = canvas.getContext("2d");
  const { sky, sun, hills } = sceneryOf(about);
  const rise = 0.08 * Math.sin(2 * Math.PI * moment);
  paintSky(ctx, canvas, sky);
  paintSun(ctx, canvas, { ...sun, y: sun.y - rise });
  for (const [index, hill] of hills.entries()) paintHill(ctx, canvas, hill, 0.1 * moment * (index + 1));
}

function paintSky(ctx: SKRSContext2D, { width, height }: Canvas, colours: Scenery["sky"]): void {
  const gradient = ctx.createLinearGradient(0, 0, 0, 0.75 * height);
  for (const [index, colour] of colours.entries()) gradient.addColorStop(index / 2, colour);
  ctx.fillStyle = gradient;
  ctx.fillRect(0, 0, width, height);
}

function paintSun(ctx: SKRSContext2D, { width, height }: Canvas, sun: Scenery["sun"]): void {
  const [x, y] = [sun.x * width, sun.y * height];
  const radius = sun.radius * Math.min(width, height);
  const glow = ctx.createRadialGradient(x, y, radius, x, y, 5 * radius);
  glow.addColorStop(0, sun.colour.replace("hsl", "hsla").replace(")", ", 0.5)"));
  glow.addColorStop(1, sun.colour.replace("hsl", "hsla").replace(")", ", 0)"));
  ctx.fillStyle = glow;
  ctx.fillRect(0, 0, width, height);
  ctx.fillStyle = sun.colour;
  ctx.beginPath();
  ctx.arc(x, y, radius, 0, 2 * Math.PI);
  ctx.fill();
}

function paintHill(ctx: SKRSContext2D, { width, height }: Canvas, hill: Hill, passed: number): void {
  ctx.fillStyle = hill.colour;
  ctx.beginPath();
  ctx.moveTo(0, height);
  for (let point = 0; point <= RIDGE_POINTS; point += 1) {
    const x = point / RIDGE_POINTS;
    ctx.lineTo(x * width, ridge(hill, x + passed) * height);
  }
  ctx.lineTo(width, height);
  ctx.fill();
}

function ridge({ base, waves }: Hill, x: number): number {
  return waves.reduce(
    (y, { height, length, shift }) => y - height * Math.sin(2 * Math.PI * (x / length + shift)),
    base,
  );
}
