import { type Canvas, createCanvas, type SKRSContext2D } from "@napi-rs/canvas";
import { type Colour, css, lighten, mix, rgbOf } from "./colour.js";
import { type Form, type Palette, paletteOf, shadeOf } from "./palette.js";
import { type Noise, noiseOf, type Random, randomOfWish, smoothStep } from "./random.js";
import { paintStyle, type Style } from "./style.js";
import type { Wish } from "./task.js";
import type { TypePlace } from "./type.js";

/** A part of a picture that a camera sees at its own depth: 0 far away, 1 close. */
export interface Layer {
  canvas: Canvas;
  depth: number;
}

export interface Art {
  /** From the back, which fills the picture, to the front, which is clear elsewhere. */
  layers: readonly Layer[];
  palette: Palette;
}

/** How much work goes into a picture. */
export interface Care {
  /** Finer grounds and more strokes. */
  isRich: boolean;
  /** Up to three layers instead of one. */
  isLayered: boolean;
  /** The area that words will take: what draws the eye keeps out of it. */
  place: TypePlace;
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
  /** Gives the front layer, or a clear one before it where the depth is another. */
  layer(depth: number): SKRSContext2D;
}

/**
 * Paints an abstract picture that grows from words: they choose colours and forms, and the wish's seed all else.
 * @param words what the palette is read from
 */
export function paintArt(wish: Wish, words: string, size: Size, { isRich, isLayered, place }: Care): Art {
  const random = randomOfWish(wish).fork("art");
  const palette = paletteOf(words, random);
  const layers: Layer[] = [];
  const { width, height } = size;
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
    layer(depth) {
      const own = isLayered ? (Math.min(2, Math.floor(depth * 3)) + 0.3) / 2.3 : 0;
      const front = layers.at(-1);
      if (front?.depth === own) return front.canvas.getContext("2d");
      const canvas = createCanvas(width, height);
      layers.push({ canvas, depth: own });
      return canvas.getContext("2d");
    },
  };
  // The preferred form comes more often than the others.
  const { forms } = palette;
  const form = dice.chance(0.45) ? forms[0] : dice.pick(forms);
  FORMS[form](stage);
  paintLight(stage, layers.at(-1)?.canvas.getContext("2d"));
  return { layers, palette };
}

/** The layers as one picture, with grain, or with strokes of a style. */
export function flattened({ layers }: Art, random: Random, style?: Style): Canvas {
  const [back, ...others] = layers;
  if (!back) throw new Error("a picture needs a ground");
  const ctx = back.canvas.getContext("2d");
  for (const { canvas } of others) ctx.drawImage(canvas, 0, 0);
  const { width, height } = back.canvas;
  const unit = Math.sqrt(width * height) / 1024;
  if (style) paintStyle({ canvas: back.canvas, ctx, width, height, unit, random }, style);
  else paintGrain(ctx, back.canvas, random);
  return back.canvas;
}

/** A picture computed point by point in a smaller size, and enlarged. */
function shade(
  { width, height, isRich }: Stage,
  ctx: SKRSContext2D,
  colourAt: (x: number, y: number, out: Uint8ClampedArray, offset: number, columns: number) => void,
): void {
  const mean = Math.sqrt(width * height);
  const scale = Math.min(1, (isRich ? 560 : 360) / mean);
  const [columns, rows] = [Math.ceil(width * scale), Math.ceil(height * scale)];
  const small = createCanvas(columns, rows);
  const inner = small.getContext("2d");
  const image = inner.createImageData(columns, rows);
  const step = 1 / (mean * scale);
  for (let row = 0, offset = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++, offset += 4) {
      colourAt(column * step, row * step, image.data, offset, columns);
      image.data[offset + 3] = 255;
    }
  }
  inner.putImageData(image, 0, 0);
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
  shade(stage, stage.layer(0), (x, y, out, offset, columns) => {
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

/** Ridges or waves that recede into haze before a glowing sky. */
function paintDunes(stage: Stage): void {
  const { width, height, unit, palette, noise, random, light, heightAt } = stage;
  const dice = random.fork("dunes");
  const isDark = dice.chance(0.4);
  const sky = stage.layer(0);
  const put = painter(palette);
  const horizon = heightAt(dice.between(0.42, 0.6));
  light.y = horizon - (horizon - heightAt(0)) * dice.between(0.04, 0.55);
  const mean = Math.sqrt(width * height);
  shade(stage, sky, (x, y, out, offset) => {
    const up = (y * mean) / horizon;
    const cloud = noise.fractal(x * 0.9 + 3, y * 3.4, 3) - 0.5;
    const place = (isDark ? 0.12 + 0.5 * up ** 1.5 : 0.42 + 0.56 * up) + cloud * 0.22;
    put(out, offset, place, smoothStep(0.2, 1, up + cloud), 0);
  });
  const radius = unit * dice.between(80, 170);
  const disc = sky.createLinearGradient(0, light.y - radius, 0, light.y + radius);
  disc.addColorStop(0, css(lighten(palette.accent, 0.06)));
  disc.addColorStop(1, css(mix(palette.accent, shadeOf(palette.other, 0.92), 0.55)));
  glow(sky, light.x, light.y, radius * 3.6, palette.accent, 0.42);
  sky.fillStyle = disc;
  circle(sky, light.x, light.y, radius);
  const count = dice.whole(5, 8);
  const sharp = dice.between(0.2, 1);
  for (let index = 0; index < count; index++) {
    const near = index / (count - 1);
    const ctx = stage.layer(0.15 + 0.75 * near);
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

/** Thousands of strokes that follow one current. */
function paintFlow(stage: Stage): void {
  const { width, height, unit, palette, noise, random, isRich } = stage;
  const dice = random.fork("flow");
  const put = painter(palette);
  const isLight = dice.chance(0.35);
  shade(stage, stage.layer(0), (x, y, out, offset) => {
    const cloud = noise.fractal(x * 1.2, y * 1.2, 3);
    const place = isLight ? 0.78 + cloud * 0.24 : cloud * 0.34;
    put(out, offset, place, smoothStep(0.35, 0.65, noise.at(x * 1.1 + 30, y * 1.1)), 0);
  });
  const turn = dice.between(0, Math.PI * 2);
  const rate = dice.between(0.9, 1.7) / (1024 * unit);
  const bend = dice.between(1.6, 3.4);
  const angleAt = (x: number, y: number): number =>
    turn + (noise.fractal(x * rate + 11, y * rate + 5, 2) - 0.5) * Math.PI * bend;
  const count = isRich ? 1000 : 700;
  const layers = [0.3, 0.6, 0.95].map((depth) => stage.layer(depth));
  for (const [index, ctx] of layers.entries()) {
    ctx.lineCap = "round";
    for (let stroke = 0; stroke < count / 3; stroke++) {
      let x = dice.between(-0.1, 1.1) * width;
      let y = dice.between(-0.1, 1.1) * height;
      const thick = unit * (1.5 + 10 * dice.next() ** 4 * (0.5 + index));
      const length = dice.whole(16, 48);
      const cloud = noise.fractal(x * rate * 1.4 + 70, y * rate * 1.4, 2);
      const ramp = dice.chance(0.6) ? palette.ground : palette.other;
      const place =
        (isLight ? 0.02 : 0.34) + 0.62 * smoothStep(0.28, 0.72, cloud) + dice.between(-0.14, 0.14);
      const isAccent = dice.chance(0.05);
      ctx.strokeStyle = css(isAccent ? palette.accent : shadeOf(ramp, place), dice.between(0.5, 0.95));
      ctx.lineWidth = thick;
      ctx.beginPath();
      ctx.moveTo(x, y);
      for (let step = 0; step < length; step++) {
        const angle = angleAt(x, y);
        x += Math.cos(angle) * unit * 8;
        y += Math.sin(angle) * unit * 8;
        ctx.lineTo(x, y);
      }
      ctx.stroke();
    }
  }
}

/** Spheres of light in a soft space. */
function paintOrbs(stage: Stage): void {
  const { width, height, unit, palette, noise, random, light, heightAt } = stage;
  const dice = random.fork("orbs");
  const put = painter(palette);
  const isLight = dice.chance(0.3);
  const back = stage.layer(0);
  shade(stage, back, (x, y, out, offset) => {
    const away = Math.hypot(x * 1024 * unit - light.x, y * 1024 * unit - light.y) / (1024 * unit);
    const cloud = noise.fractal(x * 1.3, y * 1.3, 3) - 0.5;
    const place = (isLight ? 0.92 : 0.42) - away * (isLight ? 0.3 : 0.36) + cloud * 0.24;
    put(out, offset, place, smoothStep(0.3, 0.8, away + cloud), 0);
  });
  if (!isLight) {
    for (let star = 0; star < 260; star++) {
      back.fillStyle = css(palette.accent, dice.between(0.15, 0.85));
      circle(back, dice.next() * width, dice.next() * height, unit * (0.5 + 2.2 * dice.next() ** 6));
    }
  }
  const rings = stage.layer(0.35);
  const main = { x: width * dice.between(0.34, 0.68), y: heightAt(dice.between(0.28, 0.46)) };
  const radius = unit * dice.between(190, 290);
  rings.lineWidth = unit * 1.3;
  for (let ring = 0; ring < dice.whole(2, 4); ring++) {
    rings.strokeStyle = css(isLight ? shadeOf(palette.ground, 0.3) : palette.accent, 0.34);
    rings.beginPath();
    const reach = radius * (1.35 + ring * dice.between(0.28, 0.5));
    rings.ellipse(main.x, main.y, reach, reach * dice.between(0.3, 1), dice.between(0, 3), 0, Math.PI * 2);
    rings.stroke();
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
    sphere(stage, stage.layer(index < count / 2 ? 0.5 : 1), { x, y }, own, ramp, isMain || dice.chance(0.25));
  }
}

/** One sphere, lit from where the light is. */
function sphere(
  { light, palette }: Stage,
  ctx: SKRSContext2D,
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
  const { width, height, unit, palette, random, heightAt } = stage;
  const dice = random.fork("arches");
  const isLight = dice.chance(0.5);
  const back = stage.layer(0);
  const put = painter(palette);
  shade(stage, back, (x, y, out, offset) => {
    const cloud = stage.noise.fractal(x * 0.9, y * 0.9, 2) - 0.5;
    put(out, offset, (isLight ? 0.9 : 0.14) + cloud * 0.16 + (isLight ? -0.1 : 0.1) * y, 0.2 + 0.5 * x, 0);
  });
  const sun = stage.layer(0.25);
  const [sunX, sunY] = [width * dice.between(0.2, 0.8), heightAt(dice.between(0.16, 0.36))];
  const sunRadius = unit * dice.between(70, 150);
  glow(sun, sunX, sunY, sunRadius * 2.6, palette.accent, 0.3);
  sun.fillStyle = css(palette.accent);
  circle(sun, sunX, sunY, sunRadius);
  const groups = dice.whole(2, 4);
  for (let group = 0; group < groups; group++) {
    const ctx = stage.layer(0.4 + (0.55 * group) / groups);
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

/** Petals around a heart, one wreath over the other. */
function paintBloom(stage: Stage): void {
  const { width, unit, palette, noise, random, heightAt } = stage;
  const dice = random.fork("bloom");
  const put = painter(palette);
  const isLight = dice.chance(0.45);
  const [x, y] = [width * dice.between(0.36, 0.64), heightAt(dice.between(0.3, 0.46))];
  shade(stage, stage.layer(0), (px, py, out, offset) => {
    const away = Math.hypot(px * 1024 * unit - x, py * 1024 * unit - y) / (1024 * unit);
    const cloud = noise.fractal(px * 1.2, py * 1.2, 3) - 0.5;
    const place = (isLight ? 0.98 - away * 0.16 : 0.3 - away * 0.26) + cloud * 0.2;
    put(out, offset, place, smoothStep(0.2, 0.7, away + cloud), 0);
  });
  const wreaths = dice.whole(6, 9);
  const petals = dice.whole(6, 13);
  const whole = unit * dice.between(440, 600);
  const slim = dice.between(0.5, 1.05);
  const twist = dice.between(0.3, 0.62);
  const layers = [0.35, 0.6, 0.85].map((depth) => stage.layer(depth));
  for (let wreath = 0; wreath < wreaths; wreath++) {
    const near = wreath / (wreaths - 1);
    const ctx = layers[Math.min(2, Math.floor(near * 3))];
    if (!ctx) continue;
    const radius = whole * (1 - near * 0.8);
    const count = Math.max(5, petals - Math.floor(near * 3));
    for (let petal = 0; petal < count; petal++) {
      const angle = (petal / count) * Math.PI * 2 + wreath * twist + dice.between(-0.06, 0.06);
      const long = radius * dice.between(0.88, 1.08);
      const wide = ((radius * Math.PI) / count) * slim * 1.5;
      const ramp = (petal + wreath) % 3 === 0 ? palette.other : palette.ground;
      ctx.save();
      ctx.translate(x, y);
      ctx.rotate(angle);
      const fill = ctx.createLinearGradient(0, 0, long, 0);
      const shift = dice.between(-0.06, 0.06);
      fill.addColorStop(0, css(shadeOf(ramp, 0.2 + 0.3 * near), 0.95));
      fill.addColorStop(0.55, css(shadeOf(ramp, 0.48 + 0.22 * near + shift), 0.86));
      fill.addColorStop(1, css(shadeOf(ramp, 0.78 + 0.16 * near + shift), 0.8));
      ctx.fillStyle = fill;
      ctx.shadowColor = css(shadeOf(palette.ground, 0), 0.3);
      ctx.shadowBlur = unit * 16;
      ctx.beginPath();
      ctx.moveTo(0, 0);
      ctx.bezierCurveTo(long * 0.3, -wide, long * 0.86, -wide * 0.9, long, 0);
      ctx.bezierCurveTo(long * 0.86, wide * 0.9, long * 0.3, wide, 0, 0);
      ctx.fill();
      ctx.restore();
    }
  }
  const [, , front] = layers;
  if (!front) return;
  glow(front, x, y, whole * 0.3, palette.accent, 0.75);
  for (let seed = 0; seed < 90; seed++) {
    const away = Math.sqrt(seed) * unit * 5.4;
    front.fillStyle = css(seed % 3 === 0 ? shadeOf(palette.ground, 0.25) : palette.accent, 0.9);
    circle(front, x + Math.cos(seed * 2.4) * away, y + Math.sin(seed * 2.4) * away, unit * 2.6);
  }
}

const FORMS: Readonly<Record<Form, (stage: Stage) => void>> = {
  silk: paintSilk,
  dunes: paintDunes,
  flow: paintFlow,
  orbs: paintOrbs,
  arches: paintArches,
  bloom: paintBloom,
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
function paintLight({ width, height, palette, light }: Stage, ctx: SKRSContext2D | undefined): void {
  if (!ctx) return;
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
  const tile = createCanvas(GRAIN_SIDE, GRAIN_SIDE);
  const inner = tile.getContext("2d");
  const image = inner.createImageData(GRAIN_SIDE, GRAIN_SIDE);
  for (let offset = 0; offset < image.data.length; offset += 4) {
    image.data.fill(dice.next() * 255, offset, offset + 3);
    image.data[offset + 3] = 17;
  }
  inner.putImageData(image, 0, 0);
  const pattern = ctx.createPattern(tile, "repeat");
  if (!pattern) return;
  ctx.save();
  ctx.globalCompositeOperation = "overlay";
  ctx.fillStyle = pattern;
  ctx.fillRect(0, 0, width, height);
  ctx.restore();
}
