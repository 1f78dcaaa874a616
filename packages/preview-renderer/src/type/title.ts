import type { SKRSContext2D } from "@napi-rs/canvas";
import { type Colour, colourOf, colourOfRgb, css } from "../colour.js";
import { fontOf } from "./fonts.js";
import { fitLines, LEADING } from "./lines.js";

/** Place and look of a title in a picture. Lengths in pixels. */
export interface TitlePlace {
  x: number;
  y: number;
  width: number;
  height: number;
  align: "left" | "center";
  /** Which edge of the box the lines keep to. */
  anchor: "top" | "middle" | "bottom";
  sizeMax: number;
  /** Its colour; by default the one of light and dark that is read best. */
  ink?: Colour;
}

/** The box that the lines really take, in pixels. */
export interface TitleBox {
  x: number;
  y: number;
  width: number;
  height: number;
}

const LIGHT = colourOf("#fffdf6");
const DARK = colourOf("#15171f");
/** Differences of lightness (0 to 1): enough to read, and enough to need no help. */
const READABLE = 0.5;
/** Height of the capitals of the font, as a part of its size. */
const CAPITALS = 0.73;

/**
 * Sets texts in type on a picture, each on lines of its own.
 * @param ground the picture behind it, where that is another canvas
 */
export function paintTitle(
  ctx: SKRSContext2D,
  texts: readonly string[],
  place: TitlePlace,
  ground = ctx,
): TitleBox {
  ctx.save();
  const measured = 200;
  ctx.font = fontOf(800, measured);
  const measure = (text: string): number => ctx.measureText(text).width / measured;
  const { lines, size } = fitLines(texts, measure, place);
  const tall = ((lines.length - 1) * LEADING + CAPITALS) * size;
  const free = place.height - tall;
  const top = place.y + (place.anchor === "top" ? 0 : place.anchor === "middle" ? free / 2 : free);
  const wide = Math.max(...lines.map(measure)) * size;
  const left = place.align === "left" ? place.x : place.x + (place.width - wide) / 2;
  const box = { x: left, y: top, width: wide, height: tall };
  const ink = place.ink ?? inkFor(ctx, ground, box, size);
  ctx.font = fontOf(800, size);
  ctx.textAlign = place.align;
  ctx.textBaseline = "alphabetic";
  ctx.fillStyle = css(ink);
  const x = place.align === "left" ? place.x : place.x + place.width / 2;
  for (const [index, line] of lines.entries())
    ctx.fillText(line, x, top + (index * LEADING + CAPITALS) * size);
  ctx.restore();
  return box;
}

/** Light or dark, whichever is read better on what is painted there; where neither is, the ground is toned first. */
function inkFor(ctx: SKRSContext2D, ground: SKRSContext2D, box: TitleBox, size: number): Colour {
  const [darkest, middle, lightest] = lightnessOf(ground, box);
  const ink = middle < 0.66 ? LIGHT : DARK;
  const contrast = ink === LIGHT ? LIGHT.l - lightest : darkest - DARK.l;
  const strength = Math.min(1, Math.max(0.3, (READABLE - contrast) / 0.35));
  tone(ctx, box, size, ink === LIGHT ? DARK : LIGHT, strength * 0.62);
  return ink;
}

/** A soft patch of a colour, larger than the box. */
function tone(ctx: SKRSContext2D, box: TitleBox, size: number, colour: Colour, alpha: number): void {
  ctx.save();
  const reach = Math.max(size * 1.1, box.height * 0.5);
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  ctx.translate(x, y);
  ctx.scale(box.width / 2 + reach, box.height / 2 + reach);
  const patch = ctx.createRadialGradient(0, 0, 0, 0, 0, 1);
  patch.addColorStop(0, css(colour, alpha));
  patch.addColorStop(0.6, css(colour, alpha * 0.86));
  patch.addColorStop(1, css(colour, 0));
  ctx.fillStyle = patch;
  ctx.fillRect(-1, -1, 2, 2);
  ctx.restore();
}

const SAMPLES = 24;

/** The lightness of what is painted in a box: a dark, the middle and a light one of it, 0 to 1. */
function lightnessOf(ctx: SKRSContext2D, box: TitleBox): [number, number, number] {
  const [left, top] = [Math.max(0, Math.floor(box.x)), Math.max(0, Math.floor(box.y))];
  const width = Math.min(ctx.canvas.width - left, Math.max(1, Math.ceil(box.width)));
  const height = Math.min(ctx.canvas.height - top, Math.max(1, Math.ceil(box.height)));
  const { data } = ctx.getImageData(left, top, width, height);
  const values: number[] = [];
  for (let row = 0; row < SAMPLES; row++) {
    for (let column = 0; column < SAMPLES; column++) {
      const x = Math.floor(((column + 0.5) / SAMPLES) * width);
      const y = Math.floor(((row + 0.5) / SAMPLES) * height);
      const offset = (y * width + x) * 4;
      values.push(colourOfRgb(data[offset] ?? 0, data[offset + 1] ?? 0, data[offset + 2] ?? 0).l);
    }
  }
  values.sort((first, second) => first - second);
  const at = (share: number): number => values[Math.floor(share * (values.length - 1))] ?? 0;
  return [at(0.08), at(0.5), at(0.92)];
}
