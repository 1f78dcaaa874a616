import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { GlobalFonts, type SKRSContext2D } from "@napi-rs/canvas";
import { type Colour, colourOfRgb, css, mix } from "./colour.js";
import { type Palette, shadeOf } from "./palette.js";
import { capitalised, quotedIn, shortened } from "./words.js";

type Weight = 500 | 800;

// Every subset has a family name of its own: subsets registered under one name hide each other.
const SUBSETS = {
  latin: /[!-\u00ff]/u,
  cyrillic: /\p{Script=Cyrillic}/u,
  "latin-ext": /[\u0100-\u024f\u1e00-\u1eff]/u,
  "cyrillic-ext": /[\u0460-\u052f]/u,
  greek: /\p{Script=Greek}/u,
} as const;

const { resolve } = createRequire(import.meta.url);

/** A font for the context of a canvas with the letters that a text needs. `size` in pixels. */
function fontOf(weight: Weight, size: number, text: string): string {
  const names = (Object.keys(SUBSETS) as (keyof typeof SUBSETS)[]).filter((name) => SUBSETS[name].test(text));
  const families = names.map((name) => {
    const family = `Inter ${name} ${weight}`;
    if (!GlobalFonts.has(family)) {
      const file = resolve(`@fontsource/inter/files/inter-${name}-${weight}-normal.woff2`);
      GlobalFonts.register(readFileSync(file), family);
    }
    return `"${family}"`;
  });
  return `${weight} ${size}px ${families.join(",") || "sans-serif"}`;
}

/** Nothing that is set is longer; what is cut off is not looked at. */
const SETTABLE_MAX = 3000;

/** The text without what the fonts lack, such as emoji and other scripts; empty where no word remains. */
export function settable(text: string): string {
  const plain = text
    .slice(0, SETTABLE_MAX)
    .normalize("NFC")
    .replaceAll(/[^\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Nd}\p{P}\p{Zs}+=<>$€₽№°%]/gu, " ")
    // Marks of sentences in other scripts are as missing as their letters.
    .replaceAll(/[^ -\u052f\u1e00-\u1eff\u2010-\u2027\u2030-\u203a€₽№\s]/gu, " ")
    .replaceAll(/\s+/gu, " ")
    .replaceAll(/\s+([,.;:!?…])/gu, "$1")
    .trim();
  return /[\p{L}\p{N}]/u.test(plain) ? plain : "";
}

/** What is set on a picture: few words large, more of them small. Either may be empty. */
export interface Wording {
  headline: readonly string[];
  caption: string;
  /** How much larger they are set than in a picture that is seen large; 1 by default. */
  scale?: number;
}

const HEADLINE_MAX = 64;
const CAPTION_MAX = 150;
/** A prompt that leads with so short a phrase has it as its headline. */
const PHRASE_END = /(?<=[\p{L}\p{N}»”")])(?:[,;:.!?…](?=\s|$)|\s[–—-](?=\s))/u;

/** Quotations become the headline, else the first phrase does; the rest becomes the caption. */
export function wordingOf(prompt: string): Wording {
  const { texts, rest } = quotedIn(prompt);
  const said = settable(rest);
  const quoted = texts
    .map(settable)
    .filter((text) => text !== "")
    .slice(0, 3)
    .map((text) => shortened(text, HEADLINE_MAX));
  if (quoted.length > 0) {
    return { headline: quoted, caption: rest === prompt ? "" : shortened(said, CAPTION_MAX) };
  }
  const end = said.search(PHRASE_END);
  const phrase = end > 0 && said.length > HEADLINE_MAX * 0.6 ? said.slice(0, end) : said;
  const headline = shortened(phrase, HEADLINE_MAX);
  const left = said.slice(headline.length - (headline.endsWith("…") ? 1 : 0)).replace(/^[\s\p{P}]+/u, "");
  return {
    headline: headline === "" ? [] : [capitalised(headline.replace(/[.,;:]$/u, ""))],
    caption: shortened(left, CAPTION_MAX),
  };
}

/** How wide a text is in a font of one pixel. */
type Measure = (text: string) => number;

/** Lengths in pixels. */
interface TypeBox {
  width: number;
  height: number;
  /** The largest size of the font. */
  sizeMax: number;
}

/** The distance of two lines, in sizes of the font. */
const LEADING = 1.08;
const STEPS = 16;
/**
 * Sets paragraphs as large as their box allows, in lines of about the same width. A word of one or two letters stays
 * with the next one.
 */
export function fitLines(
  paragraphs: readonly string[],
  measure: Measure,
  { width, height, sizeMax }: TypeBox,
): { lines: readonly string[]; size: number } {
  const words = paragraphs.map(wordsOf);
  const linesAt = (wide: number) => words.flatMap((paragraph) => wrapped(paragraph, measure, wide));
  const fits = (size: number): boolean => {
    const lines = linesAt(width / size);
    return lines.length * LEADING * size <= height && lines.every((line) => measure(line) * size <= width);
  };
  const size = fits(sizeMax) ? sizeMax : Math.max(1, largest(0, sizeMax, fits));
  // Into as few lines, but of the smallest width that they need.
  const count = linesAt(width / size).length;
  const narrower = largest(0, 0.6, (share) => {
    const wide = (width / size) * (1 - share);
    const lines = linesAt(wide);
    return lines.length <= count && lines.every((line) => measure(line) <= wide);
  });
  return { lines: linesAt((width / size) * (1 - narrower)), size };
}

/** The largest number between two, of which the lower is right, that is right. */
function largest(low: number, high: number, isRight: (value: number) => boolean): number {
  for (let step = 0; step < STEPS; step++) {
    const middle = (low + high) / 2;
    if (isRight(middle)) low = middle;
    else high = middle;
  }
  return low;
}

/** Filled one after the other, as many words as each line takes. */
function wrapped(words: readonly string[], measure: Measure, width: number): string[] {
  const lines: string[] = [];
  for (const word of words) {
    const joined = `${lines.at(-1) ?? ""} ${word}`;
    if (lines.length > 0 && measure(joined) <= width) lines[lines.length - 1] = joined;
    else lines.push(word);
  }
  return lines;
}

function wordsOf(paragraph: string): string[] {
  const words: string[] = [];
  let short = "";
  for (const word of paragraph.split(" ")) {
    if (/^\p{L}{1,2}$/u.test(word) && short.length < 6) short += `${word}\u00a0`;
    else {
      words.push(short + word);
      short = "";
    }
  }
  if (short) words.push(short.trimEnd());
  return words;
}

/** The place of words in a picture. */
export type TypePlace = "top" | "bottom";

interface Ground {
  width: number;
  height: number;
  palette: Palette;
}

/**
 * Sets words on a picture at its top or foot, light on dark or dark on light, whichever is read better there.
 * @param behind the picture, where the words go to another canvas
 */
export function paintWording(
  ctx: SKRSContext2D,
  { headline, caption, scale = 1 }: Wording,
  place: TypePlace,
  { width, height, palette }: Ground,
  behind = ctx,
): void {
  if (headline.length === 0 && caption === "") return;
  const mean = Math.sqrt(width * height);
  const margin = Math.min(width, height) * 0.075;
  const isWide = width > height * 1.2;
  const wide = (width - margin * 2) * (isWide ? 0.66 : 0.94);
  const all = `${headline.join(" ")}${caption}…`;
  const head = setText(ctx, 800, headline, all, -0.022, {
    width: wide,
    height: height * (isWide ? 0.46 : 0.36),
    sizeMax: Math.min(mean * 0.105 * scale, width * 0.13, height * 0.2),
  });
  const small = setText(ctx, 500, caption === "" ? [] : [caption], all, 0, {
    width: Math.min(wide, mean * 0.72),
    height: height * 0.16,
    sizeMax: Math.min(mean * 0.025 * scale, head.size === 0 ? 1e9 : head.size * 0.5),
  });
  const gap = small.tall > 0 && head.tall > 0 ? Math.max(small.size * 1.2, head.size * 0.42) : 0;
  const rule = mean * 0.006;
  const ruleGap = Math.max(head.size, small.size) * 0.62;
  const tall = rule + ruleGap + head.tall + gap + small.tall;
  // The label keeps the lower right corner.
  const floor = height - margin - (place === "bottom" && !isWide ? mean * 0.02 * scale ** 2 : 0);
  const top = place === "top" ? margin : floor - tall;
  const box = {
    x: margin,
    y: top,
    width: Math.max(head.wide, small.wide),
    height: tall,
  };
  const isDark = lightnessOf(behind, box) < 0.64;
  const ink = isDark
    ? mix({ l: 0.985, a: 0, b: 0.004 }, shadeOf(palette.ground, 1), 0.3)
    : mix({ l: 0.17, a: 0, b: 0 }, shadeOf(palette.ground, 0), 0.6);
  paintScrim(
    ctx,
    width,
    height,
    place,
    box,
    isDark ? shadeOf(palette.ground, 0) : shadeOf(palette.ground, 1),
  );
  ctx.save();
  ctx.textBaseline = "alphabetic";
  ctx.textAlign = "left";
  ctx.fillStyle = css(isDark ? palette.accent : shadeOf(palette.ground, 0.42));
  ctx.fillRect(margin, top, mean * 0.07, rule);
  ctx.fillStyle = css(ink);
  drawLines(ctx, head, margin, top + rule + ruleGap);
  ctx.fillStyle = css(ink, 0.86);
  drawLines(ctx, small, margin, top + rule + ruleGap + head.tall + gap);
  ctx.restore();
}

interface SetText {
  lines: readonly string[];
  font: string;
  spacing: number;
  size: number;
  wide: number;
  tall: number;
  leading: number;
}

/** Height of the capitals of the font, as a part of its size. */
const CAPITALS = 0.73;
const MEASURED_SIZE = 100;

/** @param tracking the space added between letters, in sizes of the font */
function setText(
  ctx: SKRSContext2D,
  weight: Weight,
  texts: readonly string[],
  letters: string,
  tracking: number,
  box: TypeBox,
): SetText {
  if (texts.length === 0) return { lines: [], font: "", spacing: 0, size: 0, wide: 0, tall: 0, leading: 0 };
  ctx.save();
  ctx.font = fontOf(weight, MEASURED_SIZE, letters);
  ctx.letterSpacing = `${tracking * MEASURED_SIZE}px`;
  const measure = (text: string): number => ctx.measureText(text).width / MEASURED_SIZE;
  const { lines, size } = fitLines(texts, measure, box);
  const leading = (weight === 800 ? LEADING : 1.36) * size;
  const wide = Math.max(...lines.map(measure)) * size;
  ctx.restore();
  const tall = (lines.length - 1) * leading + CAPITALS * size;
  return { lines, font: fontOf(weight, size, letters), spacing: tracking * size, size, wide, tall, leading };
}

function drawLines(
  ctx: SKRSContext2D,
  { lines, font, spacing, size, leading }: SetText,
  x: number,
  top: number,
): void {
  if (lines.length === 0) return;
  ctx.font = font;
  ctx.letterSpacing = `${spacing}px`;
  for (const [index, line] of lines.entries()) ctx.fillText(line, x, top + index * leading + CAPITALS * size);
}

/** Tones the side where words stand, so softly that nobody sees a box. */
function paintScrim(
  ctx: SKRSContext2D,
  width: number,
  height: number,
  place: TypePlace,
  box: { y: number; height: number },
  colour: Colour,
): void {
  const reach = box.height * 0.9 + height * 0.12;
  const [edge, inner] = place === "top" ? [0, box.y + box.height + reach] : [height, box.y - reach];
  const fade = ctx.createLinearGradient(0, edge, 0, inner);
  for (const [at, alpha] of [
    [0, 0.78],
    [0.3, 0.66],
    [0.6, 0.4],
    [0.82, 0.13],
    [1, 0],
  ] as const) {
    fade.addColorStop(at, css(colour, alpha));
  }
  ctx.fillStyle = fade;
  ctx.fillRect(0, Math.min(edge, inner), width, Math.abs(edge - inner));
}

const SAMPLES = 20;

/** The mean lightness of what is painted in a box, 0 to 1. */
function lightnessOf(
  ctx: SKRSContext2D,
  box: { x: number; y: number; width: number; height: number },
): number {
  const left = Math.max(0, Math.floor(box.x));
  const top = Math.max(0, Math.floor(box.y));
  const width = Math.max(1, Math.min(ctx.canvas.width - left, Math.ceil(box.width)));
  const height = Math.max(1, Math.min(ctx.canvas.height - top, Math.ceil(box.height)));
  const { data } = ctx.getImageData(left, top, width, height);
  let sum = 0;
  for (let sample = 0; sample < SAMPLES * SAMPLES; sample++) {
    const x = Math.floor((((sample % SAMPLES) + 0.5) / SAMPLES) * width);
    const y = Math.floor(((Math.floor(sample / SAMPLES) + 0.5) / SAMPLES) * height);
    const offset = (y * width + x) * 4;
    sum += colourOfRgb(data[offset] ?? 0, data[offset + 1] ?? 0, data[offset + 2] ?? 0).l;
  }
  return sum / (SAMPLES * SAMPLES);
}

const LABEL = "local preview";

/** The box of the label in the lower right corner of a picture, in pixels. */
export function labelBox(width: number, height: number) {
  const size = Math.max(9, Math.sqrt(width * height) / 78);
  const box = { width: size * 8.1, height: size * 1.85 };
  return { ...box, x: width - box.width - size * 0.95, y: height - box.height - size * 0.95 };
}

/** Writes "local preview" into the corner, so that nobody takes the picture for the model's. */
export function paintLabel(ctx: SKRSContext2D, width: number, height: number): void {
  const { x, y, width: wide, height: tall } = labelBox(width, height);
  paintPill(ctx, LABEL, x, y, wide, tall);
}

/** The box in which a note may lie, beside the label, in pixels. */
export function noteBox(width: number, height: number) {
  const label = labelBox(width, height);
  const x = width - label.x - label.width;
  return { x, y: label.y, width: label.x - x * 2, height: label.height };
}

/** Writes into the lower left corner what was asked of a picture and only a real model does. */
export function paintNote(ctx: SKRSContext2D, width: number, height: number, undone: string): void {
  const said = settable(undone);
  if (said === "") return;
  const { x, y, width: room, height: tall } = noteBox(width, height);
  const padding = tall * 0.86;
  const lead = /\p{Script=Cyrillic}/u.test(said) ? "демо" : "preview";
  ctx.save();
  ctx.font = fontOf(500, tall / 1.85, `${lead}${said}…`);
  let text = shortened(`${lead}: ${said}`, 300);
  while (text.length > 8 && ctx.measureText(text).width > room - padding)
    text = shortened(text.replace(/…$/u, ""), Math.floor(text.length * 0.94) - 1);
  const wide = ctx.measureText(text).width + padding;
  ctx.restore();
  paintPill(ctx, text, x, y, wide, tall);
}

function paintPill(ctx: SKRSContext2D, text: string, x: number, y: number, wide: number, tall: number): void {
  ctx.save();
  ctx.fillStyle = "rgba(10,12,20,0.36)";
  ctx.beginPath();
  ctx.roundRect(x, y, wide, tall, tall / 2);
  ctx.fill();
  ctx.fillStyle = "rgba(255,255,255,0.88)";
  ctx.font = fontOf(500, tall / 1.85, text);
  ctx.letterSpacing = "0px";
  ctx.textAlign = "center";
  ctx.textBaseline = "alphabetic";
  ctx.fillText(text, x + wide / 2, y + tall * 0.675);
  ctx.restore();
}
