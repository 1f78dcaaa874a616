import type { SKRSContext2D } from "@napi-rs/canvas";
import { type Colour, colourOf, css, lighten, mix } from "../colour.js";
import type { Random } from "../random.js";
import { lit, type Stage } from "../stage.js";

/** Adds a conifer to the path. `y` is its foot. */
export function addPine(ctx: SKRSContext2D, x: number, y: number, tall: number, random: Random): void {
  const tiers = Math.max(6, Math.min(24, Math.round(tall / 11)));
  const wide = tall * random.between(0.17, 0.23);
  const right: [number, number][] = [];
  ctx.moveTo(x, y - tall);
  for (let tier = 1; tier <= tiers; tier++) {
    const t = tier / tiers;
    const droop = y - tall * (1 - t * 0.93);
    const reach = wide * t ** 0.85;
    ctx.lineTo(x - reach * random.between(0.72, 1.15), droop);
    ctx.lineTo(x - reach * 0.5, droop - tall * 0.018);
    right.push([x + reach * 0.5, droop - tall * 0.018], [x + reach * random.between(0.75, 1.15), droop]);
  }
  const trunk = tall * 0.018;
  ctx.lineTo(x - trunk, y - tall * 0.07);
  ctx.lineTo(x - trunk, y + trunk);
  ctx.lineTo(x + trunk, y + trunk);
  ctx.lineTo(x + trunk, y - tall * 0.07);
  for (const [px, py] of right.reverse()) ctx.lineTo(px, py);
  ctx.closePath();
}

/** Adds a leafy crown of many round clumps to the path. */
function addCrown(
  ctx: SKRSContext2D,
  x: number,
  y: number,
  radius: number,
  random: Random,
  clumps = 16,
): void {
  for (let index = 0; index < clumps; index++) {
    const angle = random.next() * Math.PI * 2;
    const far = Math.sqrt(random.next()) * radius * 0.72;
    const size = radius * random.between(0.22, 0.42);
    const cx = x + Math.cos(angle) * far;
    const cy = y + Math.sin(angle) * far * 0.78;
    ctx.moveTo(cx + size, cy);
    ctx.arc(cx, cy, size, 0, Math.PI * 2);
  }
}

/** Adds a trunk with a few branches under a crown. */
function addTrunk(ctx: SKRSContext2D, x: number, y: number, tall: number, wide: number): void {
  ctx.moveTo(x - wide, y);
  ctx.quadraticCurveTo(x - wide * 0.4, y - tall * 0.4, x - wide * 0.35, y - tall);
  ctx.lineTo(x + wide * 0.35, y - tall);
  ctx.quadraticCurveTo(x + wide * 0.4, y - tall * 0.4, x + wide, y);
  ctx.closePath();
  for (const side of [-1, 1]) {
    ctx.moveTo(x, y - tall * 0.5);
    ctx.quadraticCurveTo(x + side * tall * 0.16, y - tall * 0.72, x + side * tall * 0.34, y - tall * 0.95);
    ctx.lineTo(x + side * tall * 0.3, y - tall * 0.97);
    ctx.quadraticCurveTo(x + side * tall * 0.12, y - tall * 0.8, x, y - tall * 0.68);
    ctx.closePath();
  }
}

const LEAVES = {
  winter: ["#c9d6e4", "#e8eff6", "#aebfd2"],
  autumn: ["#c8572b", "#e0912f", "#a43d2a"],
  spring: ["#f0a8bd", "#f8cdd6", "#e286a2"],
  summer: ["#4f8a4a", "#77ad57", "#376d45"],
} as const;

/** A broad tree with light on the side of the sun. `tall` in pixels. */
export function paintTree(
  stage: Stage,
  x: number,
  y: number,
  tall: number,
  depth: number,
  name: string,
): void {
  const { ctx, sun, scene, isRich } = stage;
  const random = stage.random.fork(name);
  const [body, bright, deep] = LEAVES[scene.season ?? "summer"].map((hex) => colourOf(hex)) as [
    Colour,
    Colour,
    Colour,
  ];
  ctx.beginPath();
  addTrunk(ctx, x, y, tall * 0.62, tall * 0.045);
  ctx.fillStyle = css(lit(stage, colourOf("#3f2d28"), depth));
  ctx.fill();
  const radius = tall * 0.36;
  const top = y - tall * 0.66;
  const toSun = sun.x < x ? -1 : 1;
  const layers = isRich ? 4 : 3;
  const clumps = [
    [0.42, 0.3],
    [-0.46, 0.26],
    [0.24, -0.34],
    [-0.3, -0.3],
    [0, 0.08],
    [toSun * 0.3, -0.05],
  ] as const;
  for (const [number, [dx, dy]] of clumps.entries()) {
    const size = radius * random.between(0.5, 0.64);
    const cx = x + radius * (dx + random.between(-0.1, 0.1));
    const cy = top + radius * (dy + random.between(-0.1, 0.1));
    for (let index = 0; index < layers; index++) {
      const t = (index / (layers - 1)) * 0.75 + (number / clumps.length) * 0.25;
      const own = t < 0.5 ? mix(deep, body, t * 2) : mix(body, bright, (t - 0.5) * 2);
      const gleam = (1 - stage.palette.ambient) * 0.16 * t;
      ctx.fillStyle = css(lighten(mix(lit(stage, own, depth), stage.palette.low, gleam), 0.05 * t));
      ctx.beginPath();
      const shift = (size * 0.3 * index) / layers;
      addCrown(
        ctx,
        cx + toSun * shift,
        cy - shift,
        size * (1 - (index / layers) * 0.55),
        random,
        isRich ? 18 : 12,
      );
      ctx.fill();
    }
  }
  if (!isRich) return;
  // Single leaves loosen the outline.
  for (let index = 0; index < 220; index++) {
    const angle = random.next() * Math.PI * 2;
    const far = radius * random.between(0.7, 1.02);
    ctx.fillStyle = css(lit(stage, random.pick([body, bright, deep]), depth), 0.85);
    ctx.beginPath();
    ctx.arc(
      x + Math.cos(angle) * far,
      top + Math.sin(angle) * far * 0.82,
      tall * random.between(0.004, 0.011),
      0,
      7,
    );
    ctx.fill();
  }
}
