import { createCanvas } from "@napi-rs/canvas";
import { colourOf, css, mix } from "../colour.js";
import { beginLayer, paintedSoFar, radial, type Stage, vertical } from "../stage.js";
import { type Line, traceBelow } from "./land.js";

/**
 * Water from `top` down: what stands above it, mirrored and broken by waves, under the water's own colour,
 * with the light of the sun on it.
 * @param calm 0 a rough sea, 1 a still lake or a wet street
 */
export function paintWater(stage: Stage, top: number, calm: number): void {
  const above = paintedSoFar(stage);
  beginLayer(stage, 0.55, "waves");
  const { ctx, width, height, unit, palette, isRich, sun } = stage;
  const depth = height - top;
  const random = stage.random.fork("water");
  const scale = isRich ? 0.7 : 0.5;
  const mirror = createCanvas(Math.ceil(width * scale), Math.ceil(depth * scale));
  const upside = mirror.getContext("2d");
  upside.translate(0, mirror.height);
  upside.scale(1, -1);
  const source = Math.min(top, depth * 1.25);
  upside.drawImage(above, 0, top - source, width, source, 0, 0, mirror.width, mirror.height);
  const phase = random.next() * 9;
  let y = top;
  while (y < height) {
    const t = (y - top) / depth;
    const strip = Math.max(1, unit * (0.9 + 7 * t));
    const sway = unit * (1 + 26 * t) * (1 - calm * 0.75);
    const shift =
      Math.sin(phase + t ** 0.5 * 70) * sway * 0.5 + Math.sin(phase * 3 + t ** 0.4 * 171) * sway * 0.35;
    ctx.drawImage(
      mirror,
      0,
      t * mirror.height,
      mirror.width,
      (strip / depth) * mirror.height + 1,
      shift - sway,
      y,
      width + sway * 2,
      strip + 1,
    );
    y += strip;
  }
  const deep = mix(palette.near, colourOf("#12506b"), palette.ambient * 0.9);
  ctx.fillStyle = vertical(ctx, top, height, [
    [0, css(mix(deep, palette.haze, 0.75), 0.28)],
    [0.25, css(mix(deep, palette.mid, 0.3), 0.34 - calm * 0.1)],
    [1, css(deep, 0.86 - calm * 0.36)],
  ]);
  ctx.fillRect(0, top, width, depth);
  paintRipples(stage, top, calm);
  paintGlitter(stage, top, Math.min(width, Math.max(0, sun.x)), calm);
}

/** Thin bright and dark crests, closer together towards the horizon. */
function paintRipples(stage: Stage, top: number, calm: number): void {
  const { ctx, width, height, unit, palette, isRich } = stage;
  const depth = height - top;
  const random = stage.random.fork("ripples");
  const count = Math.round((isRich ? 460 : 230) * (1 - calm * 0.6) * (width / height) ** 0.5);
  for (const [colour, alpha] of [
    [palette.low, 0.2],
    [palette.near, 0.22],
  ] as const) {
    ctx.fillStyle = css(colour, alpha);
    ctx.beginPath();
    for (let index = 0; index < count; index++) {
      const t = random.next() ** 1.7;
      const half = unit * (6 + 74 * t) * random.between(0.4, 1.3);
      addCrest(ctx, random.next() * width, top + t * depth, half, unit * (0.5 + 3.2 * t));
    }
    ctx.fill();
  }
}

function addCrest(ctx: Stage["ctx"], x: number, y: number, half: number, thick: number): void {
  ctx.moveTo(x - half, y);
  ctx.quadraticCurveTo(x, y - thick, x + half, y);
  ctx.quadraticCurveTo(x, y + thick * 0.6, x - half, y);
}

/** The path of light under the sun or the moon. */
function paintGlitter(stage: Stage, top: number, x: number, calm: number): void {
  const { ctx, height, unit, palette, isRich, scene } = stage;
  if (scene.weather === "rain" || scene.weather === "storm") return;
  const depth = height - top;
  const random = stage.random.fork("glitter");
  ctx.save();
  ctx.globalCompositeOperation = "screen";
  const reach = depth * 0.9;
  ctx.translate(x, top);
  ctx.scale(0.42, 1);
  ctx.fillStyle = radial(ctx, 0, 0, reach, [
    [0, css(palette.light, 0.5)],
    [0.4, css(palette.low, 0.16)],
    [1, css(palette.low, 0)],
  ]);
  ctx.fillRect(-reach, 0, reach * 2, reach);
  ctx.setTransform(1, 0, 0, 1, 0, 0);
  const count = Math.round((isRich ? 420 : 210) * (1 - calm * 0.4));
  for (let index = 0; index < count; index++) {
    const t = random.next() ** 1.4;
    const aside = (random.next() + random.next() - 1) * unit * (34 + 150 * t);
    ctx.fillStyle = css(palette.light, (0.75 - 0.5 * t) * random.between(0.3, 1));
    ctx.beginPath();
    addCrest(
      ctx,
      x + aside,
      top + t * depth * 0.98,
      unit * (3 + 22 * t) * random.between(0.4, 1.5),
      unit * (0.7 + 2.6 * t),
    );
    ctx.fill();
  }
  ctx.restore();
}

/** A dark bank in the foreground for things that cannot stand on water; returns its line. */
export function paintBank(stage: Stage, line: Line): Line {
  const { ctx, palette, height, unit } = stage;
  traceBelow(stage, line);
  const ground = mix(palette.near, colourOf("#3d5a45"), palette.ambient * 0.6);
  ctx.fillStyle = vertical(ctx, height - unit * 190, height, [
    [0, css(mix(ground, palette.haze, 0.16))],
    [1, css(ground)],
  ]);
  ctx.fill();
  return line;
}
