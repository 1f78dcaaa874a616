import { type Colour, colourOf, css, lighten, mix, rgbOf } from "../colour.js";
import { noiseOf, smoothStep } from "../noise.js";
import { beginLayer, FRONT, pixels, radial, type Stage, spread, vertical } from "../stage.js";
import { type Line, paintLayer, ridge, traceBelow } from "./land.js";

/** The dark with clouds of glowing gas in the palette's colours. */
export function paintNebula(stage: Stage): void {
  const { ctx, width, height, palette, isRich } = stage;
  ctx.fillStyle = vertical(ctx, 0, height, [
    [0, css(lighten(palette.top, -0.04))],
    [1, css(mix(palette.top, palette.near, 0.5))],
  ]);
  ctx.fillRect(0, 0, width, height);
  const noise = noiseOf(`${stage.random.fork("nebula").next()}`);
  const rows = isRich ? 230 : 150;
  const columns = Math.min(800, Math.max(90, Math.round((rows * width) / height)));
  const octaves = isRich ? 6 : 5;
  const [r1, g1, b1] = rgbOf(lighten(palette.mid, 0.16));
  const [r2, g2, b2] = rgbOf(lighten(palette.low, 0.05));
  const [r3, g3, b3] = rgbOf(palette.accent);
  const lean = stage.random.fork("lean").between(-0.8, 0.8);
  const gas = pixels(columns, rows, (px, py, out, offset) => {
    const x = (px / columns - 0.5) * (width / height);
    const y = py / rows - 0.5;
    const bend = noise.fractal(x * 2.2 + 9, y * 2.2, 3);
    const cloud = noise.fractal(x * 3 + bend * 1.8, y * 3 + bend * 1.4, octaves);
    const lane = noise.fractal(x * 5 - bend * 2, y * 5 + 70, octaves - 1);
    const band = Math.exp(-(((y - x * lean * 0.6) / 0.34) ** 2));
    const density = smoothStep(0.4, 0.78, cloud) * (0.25 + band) * (1 - smoothStep(0.52, 0.7, lane) * 0.75);
    const second = smoothStep(0.46, 0.66, bend);
    const hot = smoothStep(0.62, 0.85, cloud) * band * 0.8;
    out[offset] = r1 + (r2 - r1) * second + (r3 - r1) * hot * 0.6;
    out[offset + 1] = g1 + (g2 - g1) * second + (g3 - g1) * hot * 0.6;
    out[offset + 2] = b1 + (b2 - b1) * second + (b3 - b1) * hot * 0.6;
    out[offset + 3] = 235 * Math.min(1, density);
  });
  ctx.save();
  ctx.globalCompositeOperation = "screen";
  spread(ctx, gas, 0, 0, width, height);
  ctx.restore();
}

/** A planet with bands, a shaded side, air on its rim and, if asked, a ring. */
function paintPlanet(
  stage: Stage,
  x: number,
  y: number,
  radius: number,
  own: Colour,
  name: string,
  hasRing: boolean,
): void {
  const { ctx, palette, sun } = stage;
  const random = stage.random.fork(name);
  const noise = noiseOf(`${random.next()}`);
  const angle = Math.atan2(sun.y - y, sun.x - x);
  if (hasRing) paintRing(stage, x, y, radius, own, true);
  const side = Math.min(420, Math.max(60, Math.round(radius * 1.1)));
  const [r1, g1, b1] = rgbOf(lighten(own, 0.1));
  const [r2, g2, b2] = rgbOf(mix(lighten(own, -0.12), palette.mid, 0.25));
  const lx = Math.cos(angle) * 0.8;
  const ly = Math.sin(angle) * 0.8;
  const isBanded = random.chance(0.6);
  const ball = pixels(side, side, (px, py, out, offset) => {
    const u = ((px + 0.5) / side) * 2 - 1;
    const v = ((py + 0.5) / side) * 2 - 1;
    const rest = 1 - u * u - v * v;
    if (rest <= -0.02) return;
    const z = Math.sqrt(Math.max(0, rest));
    const bend = noise.fractal(u * 3 + z, v * 3, 3);
    const texture = isBanded
      ? noise.fractal(3 + bend * 0.5, v * 5.5 + u * 0.8 + bend * 0.9, 4)
      : noise.fractal(u * 2.4 + bend, v * 2.4 + z + bend, 5);
    const share = smoothStep(0.34, 0.66, texture);
    const light = 0.05 + 0.95 * smoothStep(-0.18, 0.95, u * lx + v * ly + z * 0.6);
    const rim = (1 - z) ** 3 * light * 70;
    out[offset] = (r1 + (r2 - r1) * share) * light + rim;
    out[offset + 1] = (g1 + (g2 - g1) * share) * light + rim;
    out[offset + 2] = (b1 + (b2 - b1) * share) * light + rim * 1.1;
    out[offset + 3] = 255 * smoothStep(-0.02, 0.015, rest);
  });
  const halo = radius * 1.35;
  ctx.save();
  ctx.globalCompositeOperation = "screen";
  ctx.fillStyle = radial(ctx, x + lx * radius * 0.15, y + ly * radius * 0.15, halo, [
    [0.66, css(own, 0.4)],
    [0.78, css(own, 0.14)],
    [1, css(own, 0)],
  ]);
  ctx.fillRect(x - halo * 1.2, y - halo * 1.2, halo * 2.4, halo * 2.4);
  ctx.restore();
  spread(ctx, ball, x - radius, y - radius, radius * 2, radius * 2);
  if (hasRing) paintRing(stage, x, y, radius, own, false);
}

function paintRing(stage: Stage, x: number, y: number, radius: number, own: Colour, isBehind: boolean): void {
  const { ctx, palette } = stage;
  ctx.save();
  ctx.translate(x, y);
  ctx.rotate(-0.32);
  ctx.scale(1, 0.27);
  for (const [at, thick, alpha] of [
    [1.5, 0.16, 0.5],
    [1.72, 0.2, 0.66],
    [1.96, 0.14, 0.34],
    [2.12, 0.04, 0.4],
  ] as const) {
    ctx.strokeStyle = css(mix(lighten(own, 0.16), palette.light, 0.4), alpha);
    ctx.lineWidth = radius * thick;
    ctx.beginPath();
    ctx.arc(0, 0, radius * at, isBehind ? Math.PI : 0, isBehind ? Math.PI * 2 : Math.PI);
    ctx.stroke();
  }
  ctx.restore();
}

/** Two or three planets; the first is the large one. */
export function paintPlanets(stage: Stage): void {
  const { width, height, unit, palette } = stage;
  const random = stage.random.fork("planets");
  const side = random.chance(0.5) ? 1 : -1;
  const own = [palette.accent, palette.low, mix(palette.mid, palette.light, 0.45)] as const;
  const far = random.between(46, 80) * unit;
  beginLayer(stage, 0.25);
  paintPlanet(
    stage,
    width * (0.5 - side * 0.3),
    height * random.between(0.14, 0.26),
    far,
    own[2],
    "far",
    false,
  );
  const near = unit * random.between(190, 250);
  beginLayer(stage, 0.5, "float");
  paintPlanet(
    stage,
    width * (0.5 + side * 0.16),
    height * 0.56,
    near,
    own[random.whole(0, 1)] ?? own[0],
    "near",
    random.chance(0.7),
  );
}

/** The ground of the moon with craters, under a blue planet; returns the ground's line. */
export function paintMoonGround(stage: Stage): Line {
  const { width, height, unit, horizon, palette, isRich } = stage;
  beginLayer(stage, 0.16);
  paintPlanet(
    stage,
    width * (stage.sun.x > width / 2 ? 0.24 : 0.76),
    horizon * 0.42,
    unit * 105,
    colourOf("#5fa8e8"),
    "earth",
    false,
  );
  const dust = mix(colourOf("#c9c6cf"), palette.mid, 0.22);
  beginLayer(stage, 0.45);
  const back = ridge(stage, "moonback", horizon + unit * 14, unit * 70, 0.35, 300);
  paintLayer(stage, back, mix(dust, palette.near, 0.62), height, 0.1);
  beginLayer(stage, FRONT);
  const { ctx } = stage;
  const line = ridge(stage, "moonfront", horizon + unit * 74, unit * 46, 0, 520);
  traceBelow(stage, line);
  ctx.fillStyle = vertical(ctx, horizon + unit * 40, height, [
    [0, css(lighten(dust, 0.06))],
    [0.35, css(mix(dust, palette.mid, 0.3))],
    [1, css(mix(dust, palette.near, 0.72))],
  ]);
  ctx.fill();
  ctx.save();
  ctx.clip();
  const random = stage.random.fork("craters");
  for (let index = 0; index < (isRich ? 34 : 24); index++) {
    const t = random.next() ** 1.5;
    const y = horizon + unit * 96 + t * (height - horizon - unit * 90);
    const size = unit * (5 + 70 * t) * random.between(0.4, 1.2);
    paintCrater(stage, random.next() * width, y, size, dust, t);
  }
  ctx.restore();
  return line;
}

function paintCrater(
  { ctx, palette, sun }: Stage,
  x: number,
  y: number,
  size: number,
  dust: Colour,
  t: number,
): void {
  const away = sun.x < x ? 1 : -1;
  ctx.fillStyle = css(lighten(dust, 0.08), 0.5 - t * 0.3);
  ctx.beginPath();
  ctx.ellipse(x + away * size * 0.06, y + size * 0.05, size * 1.08, size * 0.33, 0, 0, Math.PI * 2);
  ctx.fill();
  const pit = ctx.createLinearGradient(x - away * size, 0, x + away * size, 0);
  pit.addColorStop(0, css(palette.near, 0.62));
  pit.addColorStop(1, css(mix(dust, palette.near, 0.35), 0.45));
  ctx.fillStyle = pit;
  ctx.beginPath();
  ctx.ellipse(x, y, size, size * 0.28, 0, 0, Math.PI * 2);
  ctx.fill();
}
