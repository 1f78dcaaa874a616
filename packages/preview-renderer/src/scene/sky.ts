import { css, lighten, mix } from "../colour.js";
import { noiseOf, smoothStep } from "../noise.js";
import { pixels, radial, type Stage, spread, vertical } from "../stage.js";

/** The sky down to a little below the horizon, with the glow around the sun or the moon. */
export function paintSky(stage: Stage): void {
  const { ctx, width, height, palette, horizon, sun } = stage;
  const { top, mid, low } = palette;
  ctx.fillStyle = vertical(ctx, 0, horizon, [
    [0, css(top)],
    [0.28, css(mix(top, mid, 0.5))],
    [0.58, css(mid)],
    [0.82, css(mix(mid, low, 0.62))],
    [1, css(low)],
  ]);
  ctx.fillRect(0, 0, width, height);
  ctx.save();
  ctx.globalCompositeOperation = "screen";
  const strength = stage.scene.time === "night" ? 0.42 : 0.62;
  const reach = Math.max(width, height) * 0.75;
  ctx.fillStyle = radial(ctx, sun.x, sun.y, reach, [
    [0, css(mix(palette.light, low, 0.35), strength)],
    [0.12, css(mix(palette.light, low, 0.6), strength * 0.62)],
    [0.38, css(low, strength * 0.22)],
    [1, css(low, 0)],
  ]);
  ctx.fillRect(0, 0, width, height);
  ctx.restore();
}

/** Stars, denser and with a band of milk in quality mode. */
export function paintStars(stage: Stage): void {
  const { ctx, width, unit, palette, isRich } = stage;
  const bottom = stage.horizon;
  const random = stage.random.fork("stars");
  const count = Math.round(((width * bottom) / (unit * unit) / 1048576) * (isRich ? 900 : 560));
  for (let index = 0; index < count; index++) {
    const x = random.next() * width;
    const y = random.next() ** 1.3 * bottom;
    const size = (0.45 + random.next() ** 6 * 1.9) * unit;
    const fade = 1 - (y / bottom) ** 3;
    ctx.fillStyle = css(mix(palette.light, palette.mid, random.next() * 0.3), fade * random.between(0.35, 1));
    ctx.beginPath();
    ctx.arc(x, y, size, 0, Math.PI * 2);
    ctx.fill();
    if (size > 2.05 * unit) paintGlint(stage, x, y, size * 7, fade);
  }
}

function paintGlint(
  { ctx, palette, isRich }: Stage,
  x: number,
  y: number,
  reach: number,
  alpha: number,
): void {
  ctx.save();
  ctx.globalCompositeOperation = "screen";
  ctx.fillStyle = radial(ctx, x, y, reach, [
    [0, css(palette.light, 0.5 * alpha)],
    [0.25, css(palette.low, 0.16 * alpha)],
    [1, css(palette.low, 0)],
  ]);
  ctx.fillRect(x - reach, y - reach, reach * 2, reach * 2);
  if (isRich) {
    ctx.fillStyle = css(palette.light, 0.4 * alpha);
    ctx.fillRect(x - reach * 0.8, y - reach * 0.025, reach * 1.6, reach * 0.05);
    ctx.fillRect(x - reach * 0.025, y - reach * 0.8, reach * 0.05, reach * 1.6);
  }
  ctx.restore();
}

/** The sun, or at night the moon with its seas. */
export function paintDisc(stage: Stage): void {
  const { ctx, palette, sun, scene } = stage;
  const { x, y, radius } = sun;
  const isMoon = scene.time === "night";
  ctx.save();
  ctx.globalCompositeOperation = "screen";
  const halo = radius * (isMoon ? 5 : 6);
  ctx.fillStyle = radial(ctx, x, y, halo, [
    [0, css(palette.light, 0.6)],
    [0.17, css(palette.light, 0.34)],
    [0.42, css(palette.low, 0.12)],
    [1, css(palette.low, 0)],
  ]);
  ctx.fillRect(x - halo, y - halo, halo * 2, halo * 2);
  ctx.restore();
  ctx.fillStyle = vertical(ctx, y - radius, y + radius, [
    [0, css(palette.light)],
    [1, css(mix(palette.light, isMoon ? palette.mid : palette.low, isMoon ? 0.16 : 0.35))],
  ]);
  ctx.beginPath();
  ctx.arc(x, y, radius, 0, Math.PI * 2);
  ctx.fill();
  if (!isMoon) return;
  const random = stage.random.fork("moon");
  ctx.save();
  ctx.clip();
  for (let index = 0; index < 16; index++) {
    const angle = random.next() * Math.PI * 2;
    const far = Math.sqrt(random.next()) * radius;
    const size = radius * random.between(0.08, 0.34);
    const sx = x + Math.cos(angle) * far;
    const sy = y + Math.sin(angle) * far;
    ctx.fillStyle = radial(ctx, sx, sy, size, [
      [0, css(palette.mid, 0.26)],
      [0.7, css(palette.mid, 0.16)],
      [1, css(palette.mid, 0)],
    ]);
    ctx.fillRect(sx - size, sy - size, size * 2, size * 2);
  }
  ctx.restore();
}

/**
 * Clouds from fractal noise on a plane above the viewer, so that they narrow towards the horizon; lit from
 * the side of the sun.
 * @param cover how much of the sky they take, 0 to 1
 */
export function paintClouds(stage: Stage, cover: number): void {
  const { ctx, width, horizon, palette, isRich, sun } = stage;
  const noise = noiseOf(`${stage.random.fork("clouds").next()}`);
  const aspect = width / horizon;
  const rows = isRich ? 250 : 150;
  const columns = Math.min(900, Math.round(rows * Math.min(3, aspect)));
  const octaves = isRich ? 5 : 4;
  const isDull = stage.scene.weather === "rain" || stage.scene.weather === "storm";
  const bright = mix(palette.light, palette.low, stage.scene.time === "day" ? 0.05 : 0.45);
  const dark = isDull ? mix(palette.top, palette.mid, 0.4) : mix(palette.mid, palette.top, 0.3);
  const night = stage.scene.time === "night" ? 0.62 : 1;
  // A ramp of colours, because a mix a pixel would cost more than the noise.
  const ramp = Array.from(
    { length: 33 },
    (_, index) => css(mix(dark, bright, index / 32)).match(/\d+/g) ?? [],
  );
  const colours = ramp.map((parts) => parts.slice(0, 3).map(Number));
  const sunX = (sun.x / width - 0.5) * 2;
  const threshold = 0.74 - cover * 0.42;
  const canvas = pixels(columns, rows, (px, py, out, offset) => {
    const t = (py + 0.5) / rows;
    const far = 1 / (1.1 - t);
    const u = (px / columns - 0.5) * aspect * far * 1.25;
    const v = far * 2.1;
    const bend = noise.at(u * 0.7 + 31, v * 0.7) * 0.9;
    const here = noise.fractal(u + bend, v * 1.25 + bend, octaves);
    const density = smoothStep(threshold, threshold + 0.24, here);
    if (density <= 0.004) return;
    const there = noise.fractal(u + bend + 0.16 * sunX - 0.04, v * 1.25 + bend + 0.14, octaves - 1);
    const shine = Math.min(1, Math.max(0, 0.58 + (here - there) * 2.6 - density * 0.22 + t * 0.12));
    const [red = 0, green = 0, blue = 0] = colours[Math.round(shine * 32)] ?? [];
    out[offset] = red;
    out[offset + 1] = green;
    out[offset + 2] = blue;
    out[offset + 3] = 255 * density * 0.92 * night * (1 - smoothStep(0.82, 1, t) * 0.85);
  });
  spread(ctx, canvas, 0, 0, width, horizon);
}

/** Curtains of northern light. */
export function paintAurora(stage: Stage): void {
  const { ctx, width, horizon, palette } = stage;
  const noise = noiseOf(`${stage.random.fork("aurora").next()}`);
  const [r1, g1, b1] = [90, 255, 190];
  const tint = css(lighten(palette.accent, 0.1)).match(/\d+/g)?.map(Number) ?? [];
  const [r2 = 0, g2 = 0, b2 = 0] = tint;
  const rows = 180;
  const columns = 260;
  const canvas = pixels(columns, rows, (px, py, out, offset) => {
    const x = px / columns;
    const y = py / rows;
    const path = 0.52 + (noise.fractal(x * 2.6, 3, 3) - 0.5) * 0.9;
    const height = path - y;
    const ray = 0.45 + noise.fractal(x * 34, 9, 3) * 0.75;
    const body = height < 0 ? Math.exp(height * 34) : Math.exp(-height * (3.4 / ray));
    const share = smoothStep(0.05, 0.45, height);
    out[offset] = r1 + (r2 - r1) * share;
    out[offset + 1] = g1 + (g2 - g1) * share;
    out[offset + 2] = b1 + (b2 - b1) * share;
    out[offset + 3] = 200 * body * ray * smoothStep(0, 0.12, x * 0.9 + 0.1) * smoothStep(0, 0.2, y);
  });
  ctx.save();
  ctx.globalCompositeOperation = "screen";
  spread(ctx, canvas, 0, 0, width, horizon * 1.02);
  ctx.restore();
}
