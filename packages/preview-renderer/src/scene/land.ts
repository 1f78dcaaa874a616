import type { SKRSContext2D } from "@napi-rs/canvas";
import { type Colour, colourOf, css, lighten, mix } from "../colour.js";
import { noiseOf } from "../noise.js";
import type { Random } from "../random.js";
import { beginLayer, lit, radial, type Stage, vertical } from "../stage.js";

/** The height of the ground's line above y = 0 at each x; smaller is higher. */
export type Line = (x: number) => number;

/** A ridge around `base` with peaks of about `height`. `roughness`: 0 rolling hills, 1 rock. */
export function ridge(
  stage: Stage,
  name: string,
  base: number,
  height: number,
  roughness: number,
  period: number,
): Line {
  const noise = noiseOf(`${stage.random.fork(name).next()}`);
  const { unit } = stage;
  const octaves = roughness > 0.5 ? 7 : 4;
  return (x) => {
    const u = x / (period * unit);
    const smooth = noise.fractal(u, 0.5, roughness > 0 ? octaves : 2);
    const folded = 1 - Math.abs(noise.fractal(u * 0.8 + 40, 7.5, octaves) * 2 - 1) * 1.5;
    return base - height * ((smooth - 0.35) * (1 - roughness) * 1.6 + folded * roughness);
  };
}

/** Leaves the area below a line as the current path. */
export function traceBelow({ ctx, width, height, unit }: Stage, line: Line): void {
  ctx.beginPath();
  ctx.moveTo(-4, height + 4);
  for (let x = -4; x <= width + 4 * unit; x += 2.5 * unit) ctx.lineTo(x, line(x));
  ctx.lineTo(width + 8 * unit, height + 4);
  ctx.closePath();
}

/** One layer of land, which fades into haze at its foot. */
export function paintLayer(stage: Stage, line: Line, colour: Colour, foot: number, mist: number): void {
  const { ctx, palette } = stage;
  traceBelow(stage, line);
  let crest = foot;
  for (let x = 0; x < stage.width; x += stage.width / 24) crest = Math.min(crest, line(x));
  ctx.fillStyle = vertical(ctx, crest, Math.max(foot, crest + stage.unit), [
    [0, css(lighten(colour, 0.03))],
    [0.45, css(colour)],
    [1, css(mix(colour, palette.haze, mist))],
  ]);
  ctx.fill();
}

const ROCK = colourOf("#6f7f92");
const SNOW = colourOf("#f2f6fb");
const GRASS = { winter: "#dfe8f0", autumn: "#b08a45", spring: "#7fb069", summer: "#5f9a4f" } as const;

/** The colour of open ground in the season. */
export function groundColour({ scene }: Stage): Colour {
  return colourOf(GRASS[scene.season ?? "summer"]);
}

/** Mountains in three to five layers; the last but one has lit and shaded sides and snow. */
export function paintMountains(stage: Stage, height = 330): void {
  const { horizon, unit, isRich, scene, width } = stage;
  const layers = isRich ? 5 : 4;
  for (let index = 0; index < layers; index++) {
    const depth = 0.08 + (index / layers) * 0.72;
    beginLayer(stage, 0.18 + (index / layers) * 0.3);
    const base = horizon + unit * (10 + index * 34);
    const tall = unit * height * (1 - index * 0.13) * Math.min(1.15, Math.max(0.8, width / stage.height));
    const line = ridge(stage, `mountain${index}`, base, tall, 0.85 - index * 0.08, 330 - index * 30);
    const own = scene.season === "winter" && index > 1 ? mix(ROCK, SNOW, 0.5) : ROCK;
    paintLayer(stage, line, lit(stage, own, depth), base + unit * 60, 0.55);
    if (height > 200 && (index === 1 || (isRich && index === 2))) paintFacets(stage, line, depth, base);
  }
}

/** The side away from the sun in shade, and snow on the heights. */
function paintFacets(stage: Stage, line: Line, depth: number, base: number): void {
  const { ctx, unit, width, sun, palette } = stage;
  const noise = noiseOf(`${stage.random.fork(`facets${depth}`).next()}`);
  const step = 2.5 * unit;
  ctx.save();
  traceBelow(stage, line);
  ctx.clip();
  let highest = base;
  for (let x = 0; x <= width; x += step * 3) highest = Math.min(highest, line(x));
  const snowLine = highest + (base - highest) * (stage.scene.season === "winter" ? 0.75 : 0.36);
  const snow = css(lit(stage, SNOW, depth + 0.12), 0.9);
  ctx.fillStyle = snow;
  ctx.beginPath();
  for (let x = -step; x <= width + step; x += step) {
    const edge = snowLine + (noise.fractal(x / (26 * unit), 2, 4) - 0.5) * unit * 150;
    const foot = Math.min(edge, line(x) + unit * 120);
    if (foot > line(x)) ctx.rect(x, line(x) - unit, step * 1.1, foot - line(x) + unit);
  }
  ctx.fill();
  ctx.fillStyle = css(mix(palette.near, palette.top, 0.5), 0.24);
  for (let x = step * 6; x < width; x += step) {
    const isPeak = line(x) < line(x - step) && line(x) <= line(x + step);
    const rise = Math.min(line(x - step * 9), line(x + step * 9)) - line(x);
    if (!isPeak || rise < unit * 8) continue;
    const away = x > sun.x ? 1 : -1;
    const tall = (base - line(x)) * 0.95;
    ctx.beginPath();
    ctx.moveTo(x, line(x) - unit * 2);
    for (let t = 0; t <= 1; t += 0.05) {
      const wander = (noise.fractal(x / unit + t * 9, 6, 3) - 0.5) * unit * 90 * t;
      ctx.lineTo(x + wander - away * t * tall * 0.05, line(x) + t * tall);
    }
    ctx.lineTo(x + away * tall * 1.6, line(x) + tall);
    ctx.closePath();
    ctx.fill();
  }
  ctx.restore();
}

/** Soft hills from the horizon to the front; returns the line of the nearest. */
export function paintHills(stage: Stage, own: Colour, from = 0.3): Line {
  const { horizon, height, unit, isRich } = stage;
  const layers = isRich ? 5 : 4;
  let line: Line = () => horizon;
  for (let index = 0; index < layers; index++) {
    const t = index / (layers - 1);
    beginLayer(stage, 0.4 + t * 0.4);
    const base = horizon + (height - horizon) * (0.04 + t ** 1.25 * 0.62);
    line = ridge(stage, `hill${index}`, base, unit * (70 + 50 * t), 0, 300 + 130 * t);
    const colour = lit(stage, own, from + (0.97 - from) * t);
    paintLayer(stage, line, lighten(colour, 0.02), base + (height - horizon) * 0.4, 0.28 * (1 - t));
  }
  return line;
}

/** Dunes: smooth crests with a lit and a shaded flank. */
export function paintDunes(stage: Stage): Line {
  const { horizon, height, unit, width, sun, isRich } = stage;
  const own = colourOf("#eba55c");
  const layers = isRich ? 6 : 5;
  let line: Line = () => horizon;
  for (let index = 0; index < layers; index++) {
    const t = index / (layers - 1);
    beginLayer(stage, 0.3 + t * 0.5);
    const { ctx } = stage;
    const base = horizon + (height - horizon) * (0.05 + t ** 1.2 * 0.72);
    const random = stage.random.fork(`dune${index}`);
    const crest = random.between(0.15, 0.85) * width;
    const slope = unit * (190 + 210 * t);
    const rolling = ridge(stage, `dunes${index}`, base, unit * (40 + 40 * t), 0, 520);
    line = (x) => rolling(x) - unit * (95 + 85 * t) * Math.exp(-Math.abs(x - crest) / slope);
    const colour = lit(stage, own, 0.4 + 0.58 * t);
    paintLayer(stage, line, lighten(colour, 0.05), base + (height - horizon) * 0.45, 0.2);
    const away = crest > sun.x ? 1 : -1;
    ctx.save();
    traceBelow(stage, line);
    ctx.clip();
    ctx.beginPath();
    ctx.moveTo(crest, line(crest) - unit * 3);
    const reach = unit * (330 + 260 * t);
    ctx.bezierCurveTo(
      crest - away * unit * 36,
      line(crest) + unit * 60,
      crest + away * unit * 120,
      base + unit * 10,
      crest - away * unit * 70,
      base + reach * 0.9,
    );
    ctx.lineTo(crest + away * reach * 3, base + reach);
    ctx.lineTo(crest + away * reach * 3, line(crest) - reach * 0.5);
    ctx.closePath();
    // The shade fades before the outline ends, so that only the edge on the crest is sharp.
    ctx.fillStyle = radial(ctx, crest, line(crest), reach * 1.25, [
      [0, css(lighten(colour, -0.14), 0.9)],
      [0.35, css(lighten(colour, -0.11), 0.6)],
      [1, css(lighten(colour, -0.06), 0)],
    ]);
    ctx.fill();
    ctx.restore();
  }
  return line;
}

/** Blades of grass along a line; in winter they stand out of the snow. */
export function paintGrass(stage: Stage, line: Line, colour: Colour, tall: number): void {
  const { ctx, width, unit, isRich } = stage;
  const random = stage.random.fork("grass");
  for (const shade of [0.05, 0, -0.05]) {
    ctx.beginPath();
    const gap = unit * (isRich ? 2.4 : 4);
    for (let x = 0; x < width; x += gap * random.between(0.4, 1.6))
      addBlade(ctx, x, line(x) + unit * 4, tall * unit, random);
    ctx.fillStyle = css(lighten(colour, shade));
    ctx.fill();
  }
}

function addBlade(ctx: SKRSContext2D, x: number, y: number, tall: number, random: Random): void {
  const size = tall * random.between(0.35, 1);
  const lean = size * random.between(-0.4, 0.4);
  const wide = size * 0.05;
  ctx.moveTo(x - wide, y);
  ctx.quadraticCurveTo(x - wide + lean * 0.2, y - size * 0.6, x + lean, y - size);
  ctx.quadraticCurveTo(x + wide + lean * 0.2, y - size * 0.6, x + wide, y);
}
