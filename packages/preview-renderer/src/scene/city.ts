import { type Colour, colourOf, css, lighten, mix } from "../colour.js";
import type { Random } from "../random.js";
import { beginLayer, lit, radial, type Stage, vertical } from "../stage.js";
import { paintWater } from "./water.js";

const STONE = ["#8592a5", "#a99a94", "#6f8299", "#b4a59a"] as const;

/** A skyline in rows with lit windows above a street that mirrors it. */
export function paintCity(stage: Stage): void {
  const { width, unit, horizon, palette, isRich, scene } = stage;
  const rows = isRich ? 5 : 4;
  for (let index = 0; index < rows; index++) {
    const t = index / (rows - 1);
    beginLayer(stage, 0.22 + t * 0.33);
    const { ctx } = stage;
    paintRow(stage, index, t);
    const fog = horizon - unit * 260 * (1 - t * 0.4);
    ctx.fillStyle = vertical(ctx, fog, horizon, [
      [0, css(palette.haze, 0)],
      [1, css(mix(palette.haze, palette.low, 0.4), 0.5 * (1 - t) + 0.05)],
    ]);
    ctx.fillRect(0, fog, width, horizon - fog);
  }
  if (scene.time === "night" || scene.weather !== "clear") paintLamps(stage);
  paintWater(stage, horizon, 0.72);
}

function paintRow(stage: Stage, index: number, t: number): void {
  const { ctx, width, height, unit, horizon } = stage;
  const random = stage.random.fork(`city${index}`);
  const room = Math.min(1.35, Math.max(0.75, (height / width) ** 0.6));
  let x = -unit * random.between(10, 60);
  while (x < width) {
    const wide = unit * random.between(38, 76) * (0.75 + t * 0.75);
    const isTower = random.chance(0.24 - t * 0.08);
    const tall =
      unit * room * (isTower ? random.between(380, 540) : random.between(120, 330)) * (1.05 - t * 0.45);
    const own = colourOf(random.pick(STONE));
    const colour = lit(stage, own, 0.22 + t * 0.76);
    const top = horizon - tall;
    ctx.fillStyle = vertical(ctx, top, horizon, [
      [0, css(lighten(colour, 0.015))],
      [1, css(lighten(colour, -0.02))],
    ]);
    ctx.fillRect(x, top, wide, tall + unit);
    paintRoof(stage, x, top, wide, isTower, random, colour);
    paintSide(stage, x, top, wide, tall, colour);
    paintWindows(stage, x, top, wide, tall, t, random);
    x += wide * random.between(0.82, 1.22);
  }
}

function paintSide(
  { ctx, sun }: Stage,
  x: number,
  y: number,
  wide: number,
  tall: number,
  colour: Colour,
): void {
  const isLeft = sun.x > x + wide / 2;
  ctx.fillStyle = css(lighten(colour, -0.05), 0.75);
  const side = wide * 0.26;
  ctx.fillRect(isLeft ? x : x + wide - side, y, side, tall);
}

function paintRoof(
  stage: Stage,
  x: number,
  y: number,
  wide: number,
  isTower: boolean,
  random: Random,
  colour: Colour,
): void {
  const { ctx, unit } = stage;
  ctx.fillStyle = css(colour);
  const kind = random.whole(0, 3);
  const middle = x + wide / 2;
  if (isTower && kind < 2) {
    for (let step = 1; step <= 3; step++) {
      const half = wide * (0.42 - step * 0.1);
      ctx.fillRect(middle - half, y - unit * 13 * step, half * 2, unit * 14);
    }
    ctx.fillRect(middle - unit, y - unit * 92, unit * 2, unit * 92);
  } else if (isTower) {
    ctx.beginPath();
    ctx.moveTo(x, y + unit);
    ctx.lineTo(kind === 2 ? x : middle, y - unit * 46);
    ctx.lineTo(x + wide, y + unit);
    ctx.fill();
  } else if (kind === 0) {
    ctx.fillRect(x + wide * 0.2, y - unit * 9, wide * 0.25, unit * 10);
  } else if (kind === 1) {
    ctx.fillRect(x + wide * 0.7, y - unit * 30, unit * 1.6, unit * 30);
  }
}

function paintWindows(
  stage: Stage,
  x: number,
  y: number,
  wide: number,
  tall: number,
  t: number,
  random: Random,
): void {
  const { ctx, unit, palette, scene, isRich } = stage;
  const isDark = scene.time !== "day";
  const step = unit * (6.5 + 5 * t) * (isRich ? 0.85 : 1);
  const size = step * 0.5;
  const warm = mix(palette.accent, colourOf("#ffd489"), 0.55);
  const cool = mix(palette.light, colourOf("#bfe3ff"), 0.6);
  const share = isDark ? random.between(0.18, 0.55) : 0.5;
  const shades = isDark
    ? [css(warm, 0.5 + 0.42 * t), css(cool, 0.34 + 0.36 * t), css(warm, 0.26 + 0.2 * t)]
    : [css(palette.light, 0.2), css(palette.top, 0.24), css(palette.near, 0.2)];
  for (const [index, shade] of shades.entries()) {
    ctx.fillStyle = shade;
    ctx.beginPath();
    for (let wy = y + step; wy < y + tall - step * 0.6; wy += step * 1.25) {
      for (let wx = x + step * 0.6; wx < x + wide - step * 0.7; wx += step) {
        if (random.next() < share * (index === 0 ? 0.5 : 0.25)) ctx.rect(wx, wy, size, size * 1.2);
      }
    }
    ctx.fill();
  }
}

/** Street lamps and car lights just above the street. */
function paintLamps(stage: Stage): void {
  const { ctx, width, unit, horizon, palette } = stage;
  const random = stage.random.fork("lamps");
  const colours = [
    palette.accent,
    colourOf("#ffd08a"),
    colourOf("#ff6a5a"),
    mix(palette.light, palette.low, 0.4),
  ] as const;
  ctx.save();
  ctx.globalCompositeOperation = "screen";
  for (let x = 0; x < width; x += unit * random.between(16, 70)) {
    const colour = random.pick(colours);
    const reach = unit * random.between(12, 46);
    const y = horizon - unit * random.between(3, 20);
    ctx.fillStyle = radial(ctx, x, y, reach, [
      [0, css(lighten(colour, 0.15), 0.95)],
      [0.14, css(colour, 0.62)],
      [0.45, css(colour, 0.16)],
      [1, css(colour, 0)],
    ]);
    ctx.fillRect(x - reach, y - reach, reach * 2, reach * 2);
  }
  ctx.restore();
}
