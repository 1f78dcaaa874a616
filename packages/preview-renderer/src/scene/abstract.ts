import { type Colour, css, lighten, mix } from "../colour.js";
import { noiseOf } from "../noise.js";
import { beginLayer, radial, type Stage, vertical } from "../stage.js";

/** A composition without a subject; the seed chooses its kind. */
export function paintAbstract(stage: Stage): void {
  const kind = stage.random.fork("abstract").whole(0, 2);
  paintGround(stage);
  if (stage.scene.subjects.includes("clock")) paintRings(stage);
  else if (kind === 0) paintRings(stage);
  if (kind === 1) paintThreads(stage);
  paintSilk(stage, kind === 2 ? 1 : 0.55);
  if (kind !== 1) paintPearls(stage);
}

function paintGround(stage: Stage): void {
  const { ctx, width, height, palette } = stage;
  const random = stage.random.fork("ground");
  ctx.fillStyle = vertical(ctx, 0, height, [
    [0, css(palette.top)],
    [0.55, css(palette.mid)],
    [1, css(palette.low)],
  ]);
  ctx.fillRect(0, 0, width, height);
  for (const colour of [palette.low, palette.accent, palette.top, palette.haze, palette.mid]) {
    const reach = Math.max(width, height) * random.between(0.4, 0.75);
    const x = random.next() * width;
    const y = random.next() * height;
    ctx.fillStyle = radial(ctx, x, y, reach, [
      [0, css(colour, 0.62)],
      [0.5, css(colour, 0.22)],
      [1, css(colour, 0)],
    ]);
    ctx.fillRect(0, 0, width, height);
  }
}

/** Folds of silk across the picture, each with light on its edge and a shadow below it. */
function paintSilk(stage: Stage, share: number): void {
  const { width, height, unit, palette, isRich } = stage;
  const noise = noiseOf(`${stage.random.fork("silk").next()}`);
  const random = stage.random.fork("folds");
  const folds = isRich ? 13 : 8;
  const slope = random.between(-0.3, 0.3);
  const ramp = [palette.low, palette.accent, palette.mid, palette.top, palette.near];
  for (let index = 0; index < folds; index++) {
    const t = index / (folds - 1);
    if (index % 4 === 0) beginLayer(stage, 0.35 + t * 0.45, "curtain");
    const { ctx } = stage;
    const base = height * (1 - share + share * (0.12 + t * 0.86));
    const tall = unit * random.between(120, 260) * (1 - t * 0.35);
    const at = (x: number): number =>
      base +
      (x - width / 2) * slope +
      (noise.fractal(x / (unit * 520) + t * 1.3, t * 2.2, 2) - 0.5) * tall * 2;
    const colour = sampled(ramp, t);
    ctx.beginPath();
    ctx.moveTo(-9, height + 9);
    for (let x = -9; x <= width + 9 + unit * 6; x += unit * 6) ctx.lineTo(x, at(x));
    ctx.lineTo(width + 9, height + 9);
    ctx.closePath();
    const angle = ctx.createLinearGradient(0, base - tall, width, base + tall * 1.2);
    angle.addColorStop(0, css(lighten(colour, 0.09), 0.94));
    angle.addColorStop(0.5, css(colour, 0.94));
    angle.addColorStop(1, css(lighten(mix(colour, palette.near, 0.25), -0.03), 0.94));
    ctx.save();
    ctx.shadowColor = css(palette.near, 0.4);
    ctx.shadowBlur = unit * (isRich ? 34 : 22);
    ctx.shadowOffsetY = -unit * 7;
    ctx.fillStyle = angle;
    ctx.fill();
    ctx.restore();
    ctx.beginPath();
    for (let x = -9; x <= width + 9; x += unit * 6) ctx.lineTo(x, at(x));
    ctx.strokeStyle = css(lighten(mix(colour, palette.light, 0.55), 0.05), 0.5);
    ctx.lineWidth = unit * 1.4;
    ctx.stroke();
  }
}

/** The colour at `t` (0 to 1) along a list of them. */
function sampled(ramp: readonly Colour[], t: number): Colour {
  const place = t * (ramp.length - 1);
  const index = Math.min(ramp.length - 2, Math.floor(place));
  const [first, second] = [ramp[index], ramp[index + 1]];
  return first && second ? mix(first, second, place - index) : (ramp[0] as Colour);
}

/** Concentric arcs around a glowing disc, like the rings of a clock, of a tree or of orbits. */
function paintRings(stage: Stage): void {
  beginLayer(stage, 0.25, "float");
  const { ctx, width, height, unit, palette, isRich } = stage;
  const random = stage.random.fork("rings");
  const x = width * random.between(0.36, 0.64);
  const y = height * random.between(0.34, 0.46);
  const core = unit * random.between(86, 130);
  const rings = isRich ? 30 : 18;
  ctx.lineCap = "round";
  for (let index = 0; index < rings; index++) {
    const radius = core * 1.25 + unit * (8 + index * (isRich ? 13 : 20)) * random.between(0.97, 1.03);
    const start = random.next() * Math.PI * 2;
    const arc = random.between(0.5, 1.9) * Math.PI;
    ctx.strokeStyle = css(
      random.pick([palette.light, palette.accent, palette.low, palette.haze]),
      random.between(0.25, 0.8),
    );
    ctx.lineWidth = unit * (random.chance(0.2) ? random.between(4, 8) : random.between(0.7, 2));
    ctx.beginPath();
    ctx.arc(x, y, radius, start, start + arc);
    ctx.stroke();
    if (random.chance(0.6)) {
      ctx.fillStyle = css(palette.light, 0.9);
      ctx.beginPath();
      ctx.arc(
        x + Math.cos(start) * radius,
        y + Math.sin(start) * radius,
        unit * random.between(2, 6),
        0,
        Math.PI * 2,
      );
      ctx.fill();
    }
  }
  ctx.save();
  ctx.globalCompositeOperation = "screen";
  ctx.fillStyle = radial(ctx, x, y, core * 4, [
    [0, css(palette.light, 0.75)],
    [0.25, css(palette.low, 0.3)],
    [1, css(palette.low, 0)],
  ]);
  ctx.fillRect(0, 0, width, height);
  ctx.restore();
  ctx.fillStyle = vertical(ctx, y - core, y + core, [
    [0, css(palette.light)],
    [1, css(mix(palette.low, palette.accent, 0.45))],
  ]);
  ctx.beginPath();
  ctx.arc(x, y, core, 0, Math.PI * 2);
  ctx.fill();
}

/** Fine threads that follow one field of noise. */
function paintThreads(stage: Stage): void {
  beginLayer(stage, 0.2, "curtain");
  const { ctx, width, height, unit, palette, isRich } = stage;
  const noise = noiseOf(`${stage.random.fork("field").next()}`);
  const random = stage.random.fork("threads");
  const scale = unit * 430;
  ctx.save();
  ctx.globalCompositeOperation = "screen";
  ctx.lineWidth = unit * 1.1;
  for (let index = 0; index < (isRich ? 620 : 280); index++) {
    let x = random.between(-0.1, 1.1) * width;
    let y = random.between(-0.1, 1) * height;
    ctx.strokeStyle = css(
      random.pick([palette.light, palette.low, palette.accent]),
      random.between(0.1, 0.42),
    );
    ctx.beginPath();
    ctx.moveTo(x, y);
    for (let step = 0; step < 46; step++) {
      const angle = (noise.fractal(x / scale, y / scale, 2) - 0.5) * Math.PI * 3.4;
      x += Math.cos(angle) * unit * 8;
      y += Math.sin(angle) * unit * 8;
      ctx.lineTo(x, y);
    }
    ctx.stroke();
  }
  ctx.restore();
}

/** A few glossy spheres. */
function paintPearls(stage: Stage): void {
  beginLayer(stage, 1, "float");
  const { ctx, width, height, unit, palette, isRich } = stage;
  const random = stage.random.fork("pearls");
  for (let index = 0; index < (isRich ? 11 : 7); index++) {
    const radius = unit * (6 + 62 * random.next() ** 3);
    const x = random.between(0.06, 0.94) * width;
    const y = random.between(0.3, 0.92) * height;
    const colour = random.pick([palette.accent, palette.low, palette.mid, palette.light]);
    ctx.save();
    ctx.shadowColor = css(palette.near, 0.45);
    ctx.shadowBlur = radius * 0.7;
    ctx.shadowOffsetY = radius * 0.4;
    const ball = ctx.createRadialGradient(x - radius * 0.35, y - radius * 0.4, radius * 0.05, x, y, radius);
    ball.addColorStop(0, css(mix(colour, palette.light, 0.8)));
    ball.addColorStop(0.4, css(colour));
    ball.addColorStop(1, css(mix(lighten(colour, -0.16), palette.near, 0.3)));
    ctx.fillStyle = ball;
    ctx.beginPath();
    ctx.arc(x, y, radius, 0, Math.PI * 2);
    ctx.fill();
    ctx.restore();
  }
}
