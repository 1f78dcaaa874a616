import { type Canvas, createCanvas, type SKRSContext2D } from "@napi-rs/canvas";
import { type Colour, css, lighten, mix, rgbOf } from "./colour.js";
import { type Form, type Palette, paletteOf, shadeOf } from "./palette.js";
import { type Noise, noiseOf, type Random, randomOfWish, smoothStep } from "./random.js";
import type { Wish } from "./task.js";
import type { TypePlace } from "./type.js";

export interface Art {
  canvas: Canvas;
  palette: Palette;
}

interface Size {
  width: number;
  height: number;
}

/** What a form paints with. Lengths of forms are counted in units: a square picture has 1024 a side. */
interface Stage extends Size {
  unit: number;
  isRich: boolean;
  palette: Palette;
  random: Random;
  noise: Noise;
  /** The source of the light, in pixels. */
  light: { x: number; y: number };
  /** A height of so much of the room that the words leave, in pixels. */
  heightAt(share: number): number;
  ctx: SKRSContext2D;
}

/**
 * Paints an abstract picture that grows from words: they choose colours and forms, and the wish's seed all else.
 * @param words what the palette is read from
 * @param isRich finer grounds
 * @param place the area that words will take: what draws the eye keeps out of it
 */
export function paintArt(wish: Wish, words: string, size: Size, isRich: boolean, place: TypePlace): Art {
  const random = randomOfWish(wish).fork("art");
  const palette = paletteOf(words, random);
  const { width, height } = size;
  const canvas = createCanvas(width, height);
  const ctx = canvas.getContext("2d");
  const dice = random.fork("stage");
  const top = place === "top" ? 0.3 : 0;
  const heightAt = (share: number): number => height * (top + share * (1 - top));
  const stage: Stage = {
    ...size,
    unit: Math.sqrt(width * height) / 1024,
    isRich,
    palette,
    random,
    noise: noiseOf(random.fork("noise")),
    light: { x: width * dice.between(0.2, 0.8), y: heightAt(dice.between(0.14, 0.4)) },
    heightAt,
    ctx,
  };
  // The preferred form comes more often than the others.
  const { forms } = palette;
  const form = dice.chance(0.45) ? forms[0] : dice.pick(forms);
  FORMS[form](stage);
  paintLight(stage);
  paintGrain(ctx, size, randomOfWish(wish));
  return { canvas, palette };
}

/** A small picture whose every pixel `shade` writes as four channels of 0 to 255. */
function pixels(
  width: number,
  height: number,
  shade: (x: number, y: number, out: Uint8ClampedArray, offset: number) => void,
): Canvas {
  const canvas = createCanvas(width, height);
  const ctx = canvas.getContext("2d");
  const image = ctx.createImageData(width, height);
  for (let y = 0, offset = 0; y < height; y++) {
    for (let x = 0; x < width; x++, offset += 4) shade(x, y, image.data, offset);
  }
  ctx.putImageData(image, 0, 0);
  return canvas;
}

/** A picture computed point by point in a smaller size, and enlarged. */
function shade(
  { width, height, isRich, ctx }: Stage,
  colourAt: (x: number, y: number, out: Uint8ClampedArray, offset: number, columns: number) => void,
): void {
  const mean = Math.sqrt(width * height);
  const scale = Math.min(1, (isRich ? 560 : 360) / mean);
  const [columns, rows] = [Math.ceil(width * scale), Math.ceil(height * scale)];
  const step = 1 / (mean * scale);
  const small = pixels(columns, rows, (column, row, out, offset) => {
    colourAt(column * step, row * step, out, offset, columns);
    out[offset + 3] = 255;
  });
  ctx.imageSmoothingQuality = "high";
  ctx.drawImage(small, 0, 0, width, height);
}

const TABLE_STEPS = 512;

/** The channels of a ramp at equal steps, three a colour. */
function tableOf(ramp: readonly Colour[]): Float32Array {
  const table = new Float32Array((TABLE_STEPS + 1) * 3);
  for (let step = 0; step <= TABLE_STEPS; step++) {
    table.set(rgbOf(shadeOf(ramp, step / TABLE_STEPS)), step * 3);
  }
  return table;
}

/** Writes the colour of two ramps at a place, `share` of it of the second, brighter by `gleam` of 255. */
function painter({ ground, other }: Palette) {
  const [first, second] = [tableOf(ground), tableOf(other)];
  return (out: Uint8ClampedArray, offset: number, place: number, share: number, gleam: number): void => {
    const step = Math.round(Math.min(1, Math.max(0, place)) * TABLE_STEPS) * 3;
    for (let channel = 0; channel < 3; channel++) {
      const [own, its] = [first[step + channel] ?? 0, second[step + channel] ?? 0];
      out[offset + channel] = own + (its - own) * share + gleam;
    }
  };
}

/** Folded cloth in a slanting light. */
function paintSilk(stage: Stage): void {
  const { noise, random } = stage;
  const dice = random.fork("silk");
  const angle = dice.between(0, Math.PI * 2);
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const scale = dice.between(1, 1.7);
  const folds = dice.between(1.6, 3.4);
  const stretch = dice.between(2, 3.4);
  const depth = (x: number, y: number): number => {
    const along = (x * cos + y * sin) * scale;
    const across = (y * cos - x * sin) * scale * stretch;
    const bend = noise.fractal(along * 0.8 + 7, across * 0.5 + 3, 2);
    const warp = noise.fractal(along * 0.6 + bend * 1.7, across * 0.45 - bend * 1.2, 2);
    return warp + 0.16 * Math.sin((warp * folds + bend * 0.8) * Math.PI * 2);
  };
  const put = painter(stage.palette);
  // The depths of the points before: the slope at a point is what it differs by from its neighbours.
  const depths: number[] = [];
  shade(stage, (x, y, out, offset, columns) => {
    const index = offset / 4;
    const step = index === 0 ? 1 : index < columns ? x / index : y / Math.floor(index / columns);
    const here = depth(x, y);
    depths[index] = here;
    const left = index % columns === 0 ? depth(x - step, y) : (depths[index - 1] ?? here);
    const above = index < columns ? depth(x, y - step) : (depths[index - columns] ?? here);
    const [slopeX, slopeY] = [(here - left) / step, (here - above) / step];
    const light = (slopeX * 0.55 + slopeY * -0.83) / Math.sqrt(1 + 0.16 * (slopeX ** 2 + slopeY ** 2));
    const place = 0.4 + (here - 0.5) * 1.05 + light * 0.15;
    const share = smoothStep(0.42, 0.66, noise.at(x * 1.5 + 40, y * 1.5 + 9));
    put(out, offset, place, share, Math.max(0, light - 1.1) ** 2 * 13);
  });
}

/** Ridges or waves that recede into haze before a glowing ctx. */
function paintDunes(stage: Stage): void {
  const { width, height, unit, palette, noise, random, light, heightAt, ctx } = stage;
  const dice = random.fork("dunes");
  const isDark = dice.chance(0.4);
  const put = painter(palette);
  const horizon = heightAt(dice.between(0.42, 0.6));
  light.y = horizon - (horizon - heightAt(0)) * dice.between(0.04, 0.55);
  const mean = Math.sqrt(width * height);
  shade(stage, (x, y, out, offset) => {
    const up = (y * mean) / horizon;
    const cloud = noise.fractal(x * 0.9 + 3, y * 3.4, 3) - 0.5;
    const place = (isDark ? 0.12 + 0.5 * up ** 1.5 : 0.42 + 0.56 * up) + cloud * 0.22;
    put(out, offset, place, smoothStep(0.2, 1, up + cloud), 0);
  });
  const radius = unit * dice.between(80, 170);
  const disc = ctx.createLinearGradient(0, light.y - radius, 0, light.y + radius);
  disc.addColorStop(0, css(lighten(palette.accent, 0.06)));
  disc.addColorStop(1, css(mix(palette.accent, shadeOf(palette.other, 0.92), 0.55)));
  glow(ctx, light.x, light.y, radius * 3.6, palette.accent, 0.42);
  ctx.fillStyle = disc;
  circle(ctx, light.x, light.y, radius);
  const count = dice.whole(5, 8);
  const sharp = dice.between(0.2, 1);
  for (let index = 0; index < count; index++) {
    const near = index / (count - 1);
    const base = horizon + (height * 1.02 - horizon) * near ** 1.25 * 0.86;
    const tall = height * (0.05 + 0.12 * near) * dice.between(0.7, 1.3);
    const rate = (1.4 + 1.8 * (1 - near)) / mean;
    const shift = dice.between(0, 200);
    const ridge = (x: number): number => {
      const soft = noise.fractal(x * rate + shift, index * 9.7, 3) - 0.5;
      const fold = Math.abs(noise.at(x * rate * 1.3 + shift, index * 5.1 + 60) - 0.5) * 2;
      return base - tall * (soft * 2 + (0.5 - fold) * sharp);
    };
    const own = mix(
      shadeOf(palette.ground, 0.66 - 0.62 * near),
      shadeOf(palette.other, 0.66 - 0.55 * near),
      0.25 + 0.5 * (index % 2),
    );
    const haze = shadeOf(palette.ground, isDark ? 0.5 : 0.86);
    ctx.beginPath();
    ctx.moveTo(-unit * 4, height + unit * 4);
    const step = Math.max(2, unit * 3);
    for (let x = -unit * 4; x <= width + step; x += step) ctx.lineTo(x, ridge(x));
    ctx.lineTo(width + unit * 4, height + unit * 4);
    ctx.closePath();
    const fill = ctx.createLinearGradient(0, base - tall * 1.4, 0, base + height * 0.3);
    const mist = 0.5 * (1 - near);
    fill.addColorStop(0, css(mix(lighten(own, 0.05), haze, mist * 0.5)));
    fill.addColorStop(0.35, css(mix(own, haze, mist * 0.4)));
    fill.addColorStop(1, css(mix(lighten(own, -0.05), haze, mist)));
    ctx.fillStyle = fill;
    ctx.fill();
    // The light catches the crests.
    ctx.save();
    ctx.clip();
    ctx.globalCompositeOperation = "screen";
    glow(ctx, light.x, light.y, mean * 0.75, palette.accent, 0.3 - 0.16 * near);
    ctx.restore();
  }
}

/** Spheres of light in a soft space. */
function paintOrbs(stage: Stage): void {
  const { width, height, unit, palette, noise, random, light, heightAt, ctx } = stage;
  const dice = random.fork("orbs");
  const put = painter(palette);
  const isLight = dice.chance(0.3);
  shade(stage, (x, y, out, offset) => {
    const away = Math.hypot(x * 1024 * unit - light.x, y * 1024 * unit - light.y) / (1024 * unit);
    const cloud = noise.fractal(x * 1.3, y * 1.3, 3) - 0.5;
    const place = (isLight ? 0.92 : 0.42) - away * (isLight ? 0.3 : 0.36) + cloud * 0.24;
    put(out, offset, place, smoothStep(0.3, 0.8, away + cloud), 0);
  });
  if (!isLight) {
    for (let star = 0; star < 260; star++) {
      ctx.fillStyle = css(palette.accent, dice.between(0.15, 0.85));
      circle(ctx, dice.next() * width, dice.next() * height, unit * (0.5 + 2.2 * dice.next() ** 6));
    }
  }
  const main = { x: width * dice.between(0.34, 0.68), y: heightAt(dice.between(0.28, 0.46)) };
  const radius = unit * dice.between(190, 290);
  ctx.lineWidth = unit * 1.3;
  for (let ring = 0; ring < dice.whole(2, 4); ring++) {
    ctx.strokeStyle = css(isLight ? shadeOf(palette.ground, 0.3) : palette.accent, 0.34);
    ctx.beginPath();
    const reach = radius * (1.35 + ring * dice.between(0.28, 0.5));
    ctx.ellipse(main.x, main.y, reach, reach * dice.between(0.3, 1), dice.between(0, 3), 0, Math.PI * 2);
    ctx.stroke();
  }
  const count = dice.whole(3, 6);
  for (let index = 0; index <= count; index++) {
    const isMain = index === 0;
    const angle = dice.between(0, Math.PI * 2);
    const away = radius * dice.between(1.15, 2.3);
    const own = isMain ? radius : radius * dice.between(0.1, 0.46);
    const x = isMain ? main.x : main.x + Math.cos(angle) * away;
    const y = isMain ? main.y : main.y + Math.sin(angle) * away * 0.8;
    const ramp = index % 2 === 0 ? palette.other : palette.ground;
    sphere(stage, { x, y }, own, ramp, isMain || dice.chance(0.25));
  }
}

/** One sphere, lit from where the light is. */
function sphere(
  { light, palette, ctx }: Stage,
  { x, y }: { x: number; y: number },
  radius: number,
  ramp: readonly Colour[],
  isAccented: boolean,
): void {
  const way = Math.atan2(light.y - y, light.x - x);
  const [dx, dy] = [Math.cos(way) * radius, Math.sin(way) * radius];
  glow(ctx, x, y, radius * 1.9, isAccented ? palette.accent : shadeOf(ramp, 0.7), 0.26);
  const body = ctx.createRadialGradient(x + dx * 0.5, y + dy * 0.5, radius * 0.05, x, y, radius * 1.05);
  const lit = shadeOf(ramp, 0.98);
  body.addColorStop(0, css(lit));
  body.addColorStop(0.2, css(shadeOf(ramp, 0.84)));
  body.addColorStop(0.5, css(shadeOf(ramp, 0.56)));
  body.addColorStop(0.8, css(shadeOf(ramp, 0.3)));
  body.addColorStop(1, css(shadeOf(ramp, 0.12)));
  ctx.fillStyle = body;
  circle(ctx, x, y, radius);
}

/** Bands of arches and discs, as on a poster of the sixties. */
function paintArches(stage: Stage): void {
  const { width, height, unit, palette, random, heightAt, ctx } = stage;
  const dice = random.fork("arches");
  const isLight = dice.chance(0.5);
  const put = painter(palette);
  shade(stage, (x, y, out, offset) => {
    const cloud = stage.noise.fractal(x * 0.9, y * 0.9, 2) - 0.5;
    put(out, offset, (isLight ? 0.9 : 0.14) + cloud * 0.16 + (isLight ? -0.1 : 0.1) * y, 0.2 + 0.5 * x, 0);
  });
  const [sunX, sunY] = [width * dice.between(0.2, 0.8), heightAt(dice.between(0.16, 0.36))];
  const sunRadius = unit * dice.between(70, 150);
  glow(ctx, sunX, sunY, sunRadius * 2.6, palette.accent, 0.3);
  ctx.fillStyle = css(palette.accent);
  circle(ctx, sunX, sunY, sunRadius);
  const groups = dice.whole(2, 4);
  for (let group = 0; group < groups; group++) {
    const bands = dice.whole(4, 7);
    const thick = unit * dice.between(38, 74);
    const x = width * ((group + 0.5) / groups + dice.between(-0.16, 0.16));
    const y = height * dice.between(0.62, 1.02) + (group * height) / 20;
    const flip = dice.chance(0.5);
    for (let band = 0; band < bands; band++) {
      const outer = thick * (bands - band + 0.6);
      const place = 0.14 + (0.78 * (flip ? band : bands - 1 - band)) / (bands - 1);
      const ramp = (group + band) % 3 === 2 ? palette.other : palette.ground;
      const colour = band === 2 && group === 0 ? palette.accent : shadeOf(ramp, place);
      const body = ctx.createRadialGradient(x, y, Math.max(0, outer - thick), x, y, outer);
      body.addColorStop(0, css(lighten(colour, -0.07)));
      body.addColorStop(0.22, css(colour));
      body.addColorStop(0.86, css(lighten(colour, 0.03)));
      body.addColorStop(1, css(lighten(colour, -0.02)));
      ctx.save();
      ctx.shadowColor = css(shadeOf(palette.ground, 0), 0.34);
      ctx.shadowBlur = thick * 0.3;
      ctx.fillStyle = outer < thick ? css(colour) : body;
      ctx.beginPath();
      ctx.arc(x, y, outer, Math.PI, 0);
      // The legs of an arch stand on the ground.
      ctx.lineTo(x + outer, y + height * 1.5);
      ctx.lineTo(x - outer, y + height * 1.5);
      ctx.closePath();
      ctx.fill();
      ctx.restore();
    }
  }
}

const FORMS: Readonly<Record<Form, (stage: Stage) => void>> = {
  silk: paintSilk,
  dunes: paintDunes,
  orbs: paintOrbs,
  arches: paintArches,
};

function circle(ctx: SKRSContext2D, x: number, y: number, radius: number): void {
  ctx.beginPath();
  ctx.arc(x, y, radius, 0, Math.PI * 2);
  ctx.fill();
}

/** A soft spot of light. */
function glow(
  ctx: SKRSContext2D,
  x: number,
  y: number,
  radius: number,
  colour: Colour,
  strength: number,
): void {
  const spot = ctx.createRadialGradient(x, y, 0, x, y, radius);
  spot.addColorStop(0, css(colour, strength));
  spot.addColorStop(0.35, css(colour, strength * 0.46));
  spot.addColorStop(1, css(colour, 0));
  ctx.fillStyle = spot;
  ctx.fillRect(x - radius, y - radius, radius * 2, radius * 2);
}

/** The light over everything, and corners a little darker. */
function paintLight({ width, height, palette, light, ctx }: Stage): void {
  glow(ctx, light.x, light.y, Math.hypot(width, height) * 0.5, palette.accent, 0.13);
  const dark = shadeOf(palette.ground, 0);
  ctx.save();
  ctx.translate(width / 2, height / 2);
  ctx.scale(width / height, 1);
  const corners = ctx.createRadialGradient(0, 0, height * 0.36, 0, 0, height * 0.76);
  corners.addColorStop(0, css(dark, 0));
  corners.addColorStop(1, css(dark, 0.34));
  ctx.fillStyle = corners;
  ctx.fillRect(-height / 2, -height / 2, height, height);
  ctx.restore();
}

const GRAIN_SIDE = 192;

/** Fine noise as of film, which also hides the steps of gradients. */
function paintGrain(ctx: SKRSContext2D, { width, height }: Size, random: Random): void {
  const dice = random.fork("grain");
  const tile = pixels(GRAIN_SIDE, GRAIN_SIDE, (_x, _y, out, offset) => {
    out.fill(dice.next() * 255, offset, offset + 3);
    out[offset + 3] = 17;
  });
  const pattern = ctx.createPattern(tile, "repeat");
  if (!pattern) return;
  ctx.save();
  ctx.globalCompositeOperation = "overlay";
  ctx.fillStyle = pattern;
  ctx.fillRect(0, 0, width, height);
  ctx.restore();
}
