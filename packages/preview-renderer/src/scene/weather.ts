import { css, lighten, mix } from "../colour.js";
import { noiseOf, smoothStep } from "../noise.js";
import { pixels, radial, type Stage, spread, vertical } from "../stage.js";

/** What falls or drifts before everything else. */
export function paintWeather(stage: Stage): void {
  const { weather, isIndoors } = stage.scene;
  if (isIndoors) return;
  if (weather === "rain" || weather === "storm") paintRain(stage);
  if (weather === "snow") paintSnowfall(stage);
  if (stage.scene.season === "spring" || stage.scene.season === "autumn") paintPetals(stage);
}

function paintRain(stage: Stage): void {
  const { ctx, width, height, unit, palette, isRich, scene } = stage;
  const random = stage.random.fork("rain");
  const slant = scene.weather === "storm" ? 0.3 : 0.12;
  const area = (width * height) / (unit * unit * 1048576);
  ctx.lineCap = "round";
  for (const [layer, long, thin, alpha] of [
    [0, 16, 0.6, 0.2],
    [1, 34, 0.9, 0.24],
    [2, 74, 1.3, 0.2],
  ] as const) {
    ctx.strokeStyle = css(mix(palette.light, palette.mid, 0.25), alpha);
    ctx.lineWidth = thin * unit;
    ctx.beginPath();
    const count = area * (isRich ? 620 : 380) * (1.2 - layer * 0.42);
    for (let index = 0; index < count; index++) {
      const x = random.between(-0.1, 1.1) * width;
      const y = random.between(-0.05, 1) * height;
      const size = long * unit * random.between(0.6, 1.3);
      ctx.moveTo(x, y);
      ctx.lineTo(x - size * slant, y + size);
    }
    ctx.stroke();
  }
}

function paintSnowfall(stage: Stage): void {
  const { ctx, width, height, unit, palette, isRich } = stage;
  const random = stage.random.fork("snow");
  const area = (width * height) / (unit * unit * 1048576);
  const white = lighten(mix(palette.light, palette.low, 0.1), 0.05);
  const flakes = area * (isRich ? 900 : 520);
  for (let index = 0; index < flakes; index++) {
    const size = unit * (0.7 + random.next() ** 4 * 4.4);
    ctx.fillStyle = css(white, random.between(0.35, 0.95));
    ctx.beginPath();
    ctx.arc(random.next() * width, random.next() * height, size, 0, Math.PI * 2);
    ctx.fill();
  }
  // Flakes close to the lens are large and out of focus.
  for (let index = 0; index < area * (isRich ? 26 : 12); index++) {
    const x = random.next() * width;
    const y = random.next() * height;
    const size = unit * random.between(7, 20);
    ctx.fillStyle = radial(ctx, x, y, size, [
      [0, css(white, 0.34)],
      [0.65, css(white, 0.22)],
      [1, css(white, 0)],
    ]);
    ctx.fillRect(x - size, y - size, size * 2, size * 2);
  }
}

/** Wisps of mist lying above the ground. `strength` from 0 to 1. */
export function paintMist(stage: Stage, strength: number): void {
  const { ctx, width, height, horizon, palette } = stage;
  const noise = noiseOf(`${stage.random.fork("mist").next()}`);
  const shade =
    css(mix(palette.haze, palette.low, 0.45))
      .match(/\d+/g)
      ?.map(Number) ?? [];
  const [red = 0, green = 0, blue = 0] = shade;
  const rows = 110;
  const columns = 150;
  const veil = pixels(columns, rows, (px, py, out, offset) => {
    const x = (px / columns) * (width / height) * 3;
    const y = py / rows;
    const wisp = smoothStep(0.3, 0.75, noise.fractal(x + noise.at(x * 2, y * 5), y * 6, 4));
    const band = Math.exp(-(((y - 0.46) / 0.26) ** 2));
    out[offset] = red;
    out[offset + 1] = green;
    out[offset + 2] = blue;
    out[offset + 3] = 255 * strength * band * (0.35 + 0.65 * wisp);
  });
  const span = height * 0.62;
  spread(ctx, veil, 0, horizon - span * 0.5, width, span);
}

function paintPetals(stage: Stage): void {
  const { ctx, width, height, unit, scene, isRich } = stage;
  const random = stage.random.fork("petals");
  const colours =
    scene.season === "spring"
      ? (["#f7c9d6", "#f2a6bd", "#fde8ee"] as const)
      : (["#d9702f", "#e8a33a", "#b5452c"] as const);
  for (let index = 0; index < (isRich ? 70 : 38); index++) {
    ctx.save();
    ctx.translate(random.next() * width, random.between(0.25, 1) * height);
    ctx.rotate(random.next() * Math.PI * 2);
    ctx.globalAlpha = random.between(0.55, 0.95);
    ctx.fillStyle = random.pick(colours);
    const size = unit * random.between(3, 8);
    ctx.beginPath();
    ctx.moveTo(-size, 0);
    ctx.quadraticCurveTo(0, -size * 0.75, size, 0);
    ctx.quadraticCurveTo(0, size * 0.5, -size, 0);
    ctx.fill();
    ctx.restore();
  }
}

/** A flash of lightning from the clouds to the horizon. */
export function paintLightning(stage: Stage): void {
  const { ctx, width, horizon, unit, palette } = stage;
  const random = stage.random.fork("lightning");
  const start = width * random.between(0.2, 0.8);
  ctx.save();
  ctx.globalCompositeOperation = "screen";
  const reach = horizon * 1.1;
  ctx.fillStyle = radial(ctx, start, horizon * 0.3, reach, [
    [0, css(palette.light, 0.5)],
    [1, css(palette.light, 0)],
  ]);
  ctx.fillRect(0, 0, width, horizon);
  const strokes: [number, number][] = [
    [7, 0.16],
    [3, 0.5],
    [1.3, 1],
  ];
  const points: [number, number][] = [];
  let x = start;
  for (let y = horizon * 0.12; y < horizon; y += unit * random.between(12, 34)) {
    points.push([x, y]);
    x += unit * random.between(-26, 26);
  }
  ctx.lineJoin = "round";
  for (const [thick, alpha] of strokes) {
    ctx.strokeStyle = css(lighten(palette.light, 0.05), alpha);
    ctx.lineWidth = thick * unit;
    ctx.beginPath();
    for (const [px, py] of points) ctx.lineTo(px, py);
    ctx.stroke();
  }
  ctx.restore();
}

/** A soft veil over the land below the horizon, so that far things sink into the air. */
export function paintHaze(stage: Stage, y: number, tall: number, alpha: number): void {
  const { ctx, width, palette } = stage;
  ctx.fillStyle = vertical(ctx, y - tall, y + tall, [
    [0, css(palette.low, 0)],
    [0.5, css(mix(palette.low, palette.haze, 0.4), alpha)],
    [1, css(palette.low, 0)],
  ]);
  ctx.fillRect(0, y - tall, width, tall * 2);
}
