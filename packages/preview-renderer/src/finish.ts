import { type Canvas, createCanvas } from "@napi-rs/canvas";
import { css, mix } from "./colour.js";
import { noiseOf } from "./noise.js";
import { hashOf } from "./random.js";
import { pixels, radial, type Stage, spread, vertical } from "./stage.js";

/** What a lens and a film add: bloom, a warm wash from the light, a vignette and grain. */
export function finish(stage: Stage): void {
  // A poster is print: it has no light of its own.
  if (stage.scene.place === "poster") {
    paintGrain(stage);
    return;
  }
  if (stage.isRich && !stage.scene.style) {
    paintTexture(stage);
    paintMotes(stage);
  }
  paintLight(stage, bloomOf(stage, stage.canvas));
  // A style shows the scene, not a photograph of it.
  if (stage.scene.style) return;
  paintVignette(stage);
  paintGrain(stage);
}

/** The light of the scene over all that is painted. */
export function paintLight(stage: Stage, bloom: Canvas): void {
  paintBloom(stage, bloom);
  paintWash(stage);
}

/** Uneven light, like paint on paper: takes the smoothness off large surfaces. */
function paintTexture({ ctx, width, height, unit, random }: Stage): void {
  const noise = noiseOf(`${random.fork("texture").next()}`);
  const columns = Math.ceil(width / unit / 4);
  const rows = Math.ceil(height / unit / 4);
  const texture = pixels(columns, rows, (x, y, out, offset) => {
    const value = noise.fractal(x / 34, y / 13, 5);
    out.fill(128 + (value - 0.5) * 420, offset, offset + 3);
    out[offset + 3] = 42;
  });
  ctx.save();
  ctx.globalCompositeOperation = "soft-light";
  spread(ctx, texture, 0, 0, width, height);
  ctx.restore();
}

/** Dust, pollen or fireflies in the light, some of them out of focus. */
function paintMotes({ ctx, width, height, unit, palette, random, scene }: Stage): void {
  if (scene.place === "space" || scene.place === "moon") return;
  const own = random.fork("motes");
  const colour = scene.time === "night" ? mix(palette.accent, palette.light, 0.4) : palette.light;
  ctx.save();
  ctx.globalCompositeOperation = "screen";
  for (let index = 0; index < 46; index++) {
    const isNear = own.chance(0.16);
    const size = unit * (isNear ? own.between(12, 26) : own.between(2, 5));
    const x = own.next() * width;
    const y = own.between(0.35, 1) * height;
    const alpha = isNear ? 0.09 : own.between(0.3, 0.75);
    ctx.fillStyle = radial(ctx, x, y, size, [
      [0, css(colour, alpha)],
      [isNear ? 0.8 : 0.25, css(colour, alpha * (isNear ? 0.8 : 0.5))],
      [1, css(colour, 0)],
    ]);
    ctx.fillRect(x - size, y - size, size * 2, size * 2);
  }
  ctx.restore();
}

/** What glows into its surroundings: a small blurred copy of a picture, of its bright parts only. */
export function bloomOf({ width, height, unit, isRich }: Stage, picture: Canvas): Canvas {
  const small = createCanvas(Math.ceil(width / unit / 9), Math.ceil(height / unit / 9));
  const blurred = small.getContext("2d");
  blurred.imageSmoothingQuality = "high";
  blurred.drawImage(picture, 0, 0, small.width, small.height);
  // Multiplied by itself, the copy keeps only what is bright.
  blurred.globalCompositeOperation = "multiply";
  blurred.drawImage(small, 0, 0);
  const soft = createCanvas(small.width, small.height);
  const out = soft.getContext("2d");
  out.filter = `blur(${isRich ? 3 : 2}px)`;
  out.drawImage(small, 0, 0);
  return soft;
}

function paintBloom({ ctx, width, height, isRich, scene }: Stage, bloom: Canvas): void {
  ctx.save();
  ctx.globalCompositeOperation = "screen";
  ctx.globalAlpha = (isRich ? 0.42 : 0.28) * (scene.time === "day" ? 0.6 : 1);
  spread(ctx, bloom, 0, 0, width, height);
  ctx.restore();
}

function paintWash({ ctx, width, height, palette, sun }: Stage): void {
  ctx.save();
  ctx.globalCompositeOperation = "soft-light";
  ctx.fillStyle = radial(ctx, sun.x, sun.y, Math.hypot(width, height) * 0.9, [
    [0, css(palette.light, 0.32)],
    [0.4, css(palette.low, 0.16)],
    [1, css(palette.top, 0.3)],
  ]);
  ctx.fillRect(0, 0, width, height);
  ctx.restore();
}

/** The corners a little darker. */
export function paintVignette({ ctx, width, height, palette }: Stage): void {
  const dark = mix(palette.near, palette.top, 0.3);
  ctx.fillStyle = vertical(ctx, 0, height, [
    [0, css(dark, 0.16)],
    [0.2, css(dark, 0)],
    [0.78, css(dark, 0)],
    [1, css(dark, 0.24)],
  ]);
  ctx.fillRect(0, 0, width, height);
  ctx.save();
  ctx.translate(width / 2, height / 2);
  ctx.scale(width / height, 1);
  ctx.fillStyle = radial(ctx, 0, 0, height * 0.78, [
    [0.62, css(dark, 0)],
    [1, css(dark, 0.34)],
  ]);
  ctx.fillRect(-height / 2, -height / 2, height, height);
  ctx.restore();
}

/** Fine noise, which also hides the steps of the gradients. */
function paintGrain({ ctx, width, height, isRich }: Stage): void {
  let state = hashOf("grain") | 1;
  const tile = pixels(256, 256, (_x, _y, out, offset) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    out.fill((state >>> 8) & 255, offset, offset + 3);
    out[offset + 3] = isRich ? 15 : 11;
  });
  const pattern = ctx.createPattern(tile, "repeat");
  if (!pattern) return;
  ctx.save();
  ctx.globalCompositeOperation = "overlay";
  ctx.fillStyle = pattern;
  ctx.fillRect(0, 0, width, height);
  ctx.restore();
}
