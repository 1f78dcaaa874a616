import type { SKRSContext2D } from "@napi-rs/canvas";
import { type Colour, colourOf, css, mix } from "../colour.js";
import type { Random } from "../random.js";
import { beginLayer, lit, type Stage, vertical } from "../stage.js";
import { type Line, paintLayer, ridge } from "./land.js";
import { addPine, paintTree } from "./trees.js";

/** One row of conifers on a line. */
export function paintPines(
  stage: Stage,
  line: Line,
  tall: number,
  colour: Colour,
  name: string,
  gap: number,
): void {
  const { ctx, width, unit, scene } = stage;
  const random = stage.random.fork(name);
  const trees: [number, number][] = [];
  for (let x = -gap; x < width + gap; x += gap * random.between(0.45, 1.5)) {
    trees.push([x, tall * (0.55 + 0.6 * random.next() ** 1.6)]);
  }
  ctx.beginPath();
  for (const [x, size] of trees) addPine(ctx, x, line(x) + 4 * unit, size, random);
  ctx.fillStyle = css(colour);
  ctx.fill("nonzero");
  if (scene.season !== "winter") return;
  // Snow lies on the branches: a pale, slightly narrower copy, moved up.
  const snow = stage.random.fork(`${name}snow`);
  ctx.beginPath();
  for (const [x, size] of trees) addSnow(ctx, x, line(x) + 4 * unit, size, snow);
  ctx.fillStyle = css(mix(colour, lit(stage, colourOf("#f4f8fd"), 0.9), 0.62), 0.85);
  ctx.fill();
}

function addSnow(ctx: SKRSContext2D, x: number, y: number, tall: number, random: Random): void {
  const tiers = Math.max(5, Math.min(11, Math.round(tall / 12)));
  for (let tier = 0; tier < tiers; tier++) {
    const t = (tier + 0.6) / tiers;
    const cy = y - tall * (1 - t * 0.9);
    const half = tall * 0.17 * t ** 0.85;
    const cx = x + half * random.between(-0.5, 0.5);
    ctx.moveTo(cx - half * 0.7, cy);
    ctx.quadraticCurveTo(cx, cy - tall * 0.05, cx + half * 0.7, cy);
    ctx.quadraticCurveTo(cx, cy - tall * 0.008, cx - half * 0.7, cy);
  }
}

/** A wood in rows from the mist to the front, with light falling in from the sun; returns the front's line. */
export function paintForest(stage: Stage): Line {
  const { width, height, horizon, unit, isRich, palette, scene, sun } = stage;
  const green = colourOf(scene.season === "winter" ? "#54707f" : "#2f6a4d");
  const rows = isRich ? 6 : 5;
  let line: Line = () => height;
  for (let index = 0; index < rows; index++) {
    const t = index / (rows - 1);
    beginLayer(stage, 0.25 + t * 0.55);
    const { ctx } = stage;
    const base = horizon + (height - horizon) * (0.02 + 0.66 * t ** 1.3);
    line = ridge(stage, `forest${index}`, base, unit * 46, 0, 360);
    const depth = 0.12 + 0.85 * t ** 0.9;
    const colour = lit(stage, green, depth);
    const ground = lit(
      stage,
      scene.season === "winter" ? colourOf("#e9f1f8") : mix(green, colourOf("#8a9a4f"), 0.3),
      depth,
    );
    if (index < rows - 1 || scene.season === "winter") {
      paintPines(stage, line, unit * (120 + 250 * t ** 1.2), colour, `pines${index}`, unit * (17 + 62 * t));
    }
    if (scene.season === "autumn" || scene.season === "spring" || scene.season === "summer") {
      const random = stage.random.fork(`leafy${index}`);
      for (let x = 0; x < width; x += unit * (90 + 240 * t) * random.between(0.5, 1.6)) {
        paintTree(
          stage,
          x,
          line(x) + unit * 6,
          unit * (70 + 190 * t) * random.between(0.8, 1.2),
          depth,
          `leaf${index}${x.toFixed(0)}`,
        );
      }
    }
    paintLayer(stage, line, ground, base + (height - horizon) * 0.5, 0.35 * (1 - t));
    if (index === Math.floor(rows / 2)) paintShafts(stage);
    ctx.fillStyle = vertical(ctx, base - unit * 90, base + unit * 60, [
      [0, css(palette.haze, 0)],
      [0.75, css(palette.haze, 0.3 * (1 - t))],
      [1, css(palette.haze, 0)],
    ]);
    ctx.fillRect(0, base - unit * 90, width, unit * 150);
  }
  const random = stage.random.fork("frame");
  beginLayer(stage, 1);
  const { ctx } = stage;
  ctx.beginPath();
  for (const side of [0, 1]) {
    for (let index = 0; index < 3; index++) {
      const x = width * side + (side ? -1 : 1) * unit * random.between(-60, 130);
      if (Math.abs(x - sun.x) > unit * 140)
        addPine(ctx, x, height + unit * 30, unit * random.between(520, 860), random);
    }
  }
  ctx.fillStyle = css(mix(palette.near, lit(stage, green, 1), 0.35));
  ctx.fill();
  return line;
}

/** Broad soft beams from the sun. */
function paintShafts(stage: Stage): void {
  const { ctx, sun, palette, height, width, isRich } = stage;
  if (stage.scene.weather === "rain" || stage.scene.weather === "snow") return;
  const random = stage.random.fork("shafts");
  const reach = Math.max(width, height) * 1.1;
  ctx.save();
  ctx.globalCompositeOperation = "screen";
  const glow = ctx.createRadialGradient(sun.x, sun.y, 0, sun.x, sun.y, reach);
  glow.addColorStop(0, css(palette.low, 0.17));
  glow.addColorStop(1, css(palette.low, 0));
  ctx.fillStyle = glow;
  for (let index = 0; index < (isRich ? 9 : 5); index++) {
    const angle = Math.PI * random.between(0.12, 0.88);
    const half = random.between(0.012, 0.05);
    ctx.beginPath();
    ctx.moveTo(sun.x, sun.y);
    ctx.lineTo(sun.x + Math.cos(angle - half) * reach, sun.y + Math.sin(angle - half) * reach);
    ctx.lineTo(sun.x + Math.cos(angle + half) * reach, sun.y + Math.sin(angle + half) * reach);
    ctx.fill();
  }
  ctx.restore();
}
