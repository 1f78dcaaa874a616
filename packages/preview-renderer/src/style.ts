import { type Canvas, createCanvas, type SKRSContext2D } from "@napi-rs/canvas";
import { noiseOf, type Random } from "./random.js";

/** A picture that is painted anew. */
export interface Surface {
  canvas: Canvas;
  ctx: SKRSContext2D;
  width: number;
  height: number;
  /** A square picture has 1024 of them a side; in pixels. */
  unit: number;
  random: Random;
}

/** The words of each style, Russian and English. */
export const STYLES = {
  oil: "oil impressionis* impasto gogh monet масло маслом масляная масляной масляную масляными импрессиони* мазк*",
  watercolour: "watercolor* watercolour* aquarelle* акварел*",
  pixel: "pixel* pixelart 8bit 16bit voxel* пиксел*",
  outline:
    "outline* outlined lineart sketch* pencil contour* doodle* контур* набросок наброск* эскиз* карандаш* раскраск* скетч* линиями",
} as const;

export type Style = keyof typeof STYLES;

/** Paints a finished picture anew in a style. */
export function paintStyle(surface: Surface, style: Style): void {
  FILTERS[style](surface);
}

/**
 * A copy of the picture for a filter that looks at every pixel: of the same shape, but of one size for all
 * resolutions, so that a filter costs the same and looks the same in each.
 * @param perUnit pixels of the copy for each unit
 * @param filter of CSS, applied while copying
 */
function copyOf({ canvas, width, height, unit }: Surface, perUnit: number, filter = "none"): Canvas {
  const copy = createCanvas(
    Math.max(1, Math.round((width / unit) * perUnit)),
    Math.max(1, Math.round((height / unit) * perUnit)),
  );
  const ctx = copy.getContext("2d");
  ctx.imageSmoothingQuality = "high";
  ctx.drawImage(canvas, 0, 0, copy.width, copy.height);
  if (filter === "none") return copy;
  const filtered = createCanvas(copy.width, copy.height);
  const out = filtered.getContext("2d");
  out.filter = filter;
  out.drawImage(copy, 0, 0);
  return filtered;
}

/** All pixels of a canvas, four bytes each. */
function pixelsOf(canvas: Canvas): Uint8ClampedArray {
  return canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
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

/** Draws a canvas over the surface, smoothly enlarged. */
function spread({ ctx, width, height }: Pick<Surface, "ctx" | "width" | "height">, canvas: Canvas): void {
  ctx.imageSmoothingEnabled = true;
  ctx.imageSmoothingQuality = "medium";
  ctx.drawImage(canvas, 0, 0, width, height);
}

/** The picture is sampled at this many points a unit. */
const OIL_PER_UNIT = 1 / 4;
/** Layers from the ground to the details; lengths in units. `from`: how much must change for a stroke, of 255. */
const OIL_LAYERS = [
  { gap: 15, long: 46, thick: 22, from: 0 },
  { gap: 9, long: 26, thick: 11, from: 7 },
  { gap: 5, long: 13, thick: 5, from: 26 },
] as const;

/** Strokes of a brush that follow the forms: broad ones first, fine ones where there is detail. */
function paintOil(surface: Surface): void {
  const { ctx, width, height, unit } = surface;
  const source = copyOf(surface, OIL_PER_UNIT, "saturate(1.2) contrast(1.05)");
  const data = pixelsOf(source);
  const random = surface.random.fork("brush");
  const flowOf = flow(pixelsOf(copyOf(surface, OIL_PER_UNIT, "blur(1.6px)")), source.width, source.height);
  spread(surface, source);
  ctx.save();
  ctx.lineCap = "round";
  for (const { gap, long, thick, from } of OIL_LAYERS) {
    for (let row = 0; row * gap * unit < height + gap * unit; row++) {
      for (let column = 0; column * gap * unit < width + gap * unit; column++) {
        const x = (column + random.next() - 0.5) * gap;
        const y = (row + random.next() - 0.5) * gap;
        const shade = (random.next() - 0.5) * 22;
        const px = Math.min(source.width - 1, Math.max(0, Math.floor(x * OIL_PER_UNIT)));
        const py = Math.min(source.height - 1, Math.max(0, Math.floor(y * OIL_PER_UNIT)));
        const { angle, change } = flowOf(px, py);
        if (change < from) continue;
        const offset = (py * source.width + px) * 4;
        const [red, green, blue] = [0, 1, 2].map((channel) =>
          Math.round((data[offset + channel] ?? 0) + shade),
        );
        const reach = (long / 2) * (0.6 + 0.4 * Math.min(1, 30 / (change + 10))) * unit;
        const [alongX, alongY] = [Math.cos(angle) * reach, Math.sin(angle) * reach];
        ctx.strokeStyle = `rgba(${red},${green},${blue},0.88)`;
        ctx.lineWidth = thick * unit * (0.75 + Math.abs(shade) / 44);
        ctx.beginPath();
        ctx.moveTo(x * unit - alongX, y * unit - alongY);
        ctx.quadraticCurveTo(
          x * unit + alongY * 0.14,
          y * unit - alongX * 0.14,
          x * unit + alongX,
          y * unit + alongY,
        );
        ctx.stroke();
      }
    }
  }
  ctx.restore();
}

/** Which way the forms run at a point, and how much changes across them. */
function flow(data: Uint8ClampedArray, width: number, height: number) {
  const light = (x: number, y: number): number => {
    const offset = (Math.min(height - 1, Math.max(0, y)) * width + Math.min(width - 1, Math.max(0, x))) * 4;
    return 0.3 * (data[offset] ?? 0) + 0.59 * (data[offset + 1] ?? 0) + 0.11 * (data[offset + 2] ?? 0);
  };
  return (x: number, y: number) => {
    const across = light(x + 2, y) - light(x - 2, y);
    const down = light(x, y + 2) - light(x, y - 2);
    const change = Math.hypot(across, down);
    // Where nothing changes the strokes sway slowly.
    const angle = change < 3 ? Math.sin(x / 31) * 0.5 + Math.cos(y / 23) * 0.4 : Math.atan2(across, -down);
    return { angle, change };
  };
}

const INK_PER_UNIT = 1.25;
const INK = [34, 38, 56] as const;
const SHEET = [251, 248, 241] as const;
/** Differences from the surroundings, of 255, where a line begins to be seen and where it is black. */
const INK_FAINT = 1.3;
const INK_FULL = 4.6;

/** A drawing: lines of ink on paper where the picture changes. */
function paintOutline(surface: Surface): void {
  const near = copyOf(surface, INK_PER_UNIT, "blur(1.1px)");
  const fine = pixelsOf(near);
  const wide = pixelsOf(copyOf(surface, INK_PER_UNIT, "blur(3.4px)"));
  const drawing = createCanvas(near.width, near.height);
  const inner = drawing.getContext("2d");
  const image = inner.createImageData(near.width, near.height);
  for (let offset = 0; offset < fine.length; offset += 4) {
    let depth = 0;
    for (let channel = offset; channel < offset + 3; channel++) {
      depth = Math.max(depth, (wide[channel] ?? 0) - (fine[channel] ?? 0));
    }
    const ink = Math.min(1, Math.max(0, (depth - INK_FAINT) / (INK_FULL - INK_FAINT)));
    for (const channel of [0, 1, 2] as const) {
      image.data[offset + channel] = SHEET[channel] + (INK[channel] - SHEET[channel]) * ink;
    }
    image.data[offset + 3] = 255;
  }
  inner.putImageData(image, 0, 0);
  spread(surface, drawing);
}

/** Large pixels a unit: 128 for the side of a square picture. */
const PIXEL_PER_UNIT = 1 / 8;
/** Steps of each colour channel. */
const PIXEL_LEVELS = 12;
/** The order in which the pixels of a square of four by four take the next step (Bayer). */
const ORDER = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5] as const;

/** Pixel art: few large pixels of few colours, with ordered dots between two of them. */
function paintPixels(surface: Surface): void {
  const { ctx, width, height } = surface;
  const small = copyOf(surface, PIXEL_PER_UNIT, "saturate(1.3) contrast(1.12)");
  const inner = small.getContext("2d");
  const image = inner.getImageData(0, 0, small.width, small.height);
  const { data } = image;
  const step = 255 / (PIXEL_LEVELS - 1);
  for (let y = 0, offset = 0; y < small.height; y++) {
    for (let x = 0; x < small.width; x++, offset += 4) {
      const bias = ((ORDER[(y % 4) * 4 + (x % 4)] ?? 0) / 16 - 0.47) * step * 0.5;
      for (let channel = offset; channel < offset + 3; channel++) {
        data[channel] = Math.round(((data[channel] ?? 0) + bias) / step) * step;
      }
      data[offset + 3] = 255;
    }
  }
  inner.putImageData(image, 0, 0);
  ctx.save();
  ctx.imageSmoothingEnabled = false;
  ctx.drawImage(small, 0, 0, width, height);
  ctx.restore();
}

const WASH_PER_UNIT = 1;
const PAPER = [253, 250, 243] as const;
/** Washes from light to dark. */
const WASH_LEVELS = 7;
/** How far the edges wander, in pixels of the copy. */
const WANDER = 15;
/** Width of the bare border of the paper, as a part of the shorter side. */
const BORDER = 0.035;

/** Washes of transparent colour on paper, with darker edges and a bare border. */
function paintWatercolour(surface: Surface): void {
  const { random } = surface;
  const source = copyOf(surface, WASH_PER_UNIT, "blur(2px) saturate(1.25)");
  const { width: columns, height: rows } = source;
  const data = pixelsOf(source);
  const clouds = cloudsOf(columns, rows, random.fork("wash"));
  const washes = createCanvas(columns, rows);
  const inner = washes.getContext("2d");
  const image = inner.createImageData(columns, rows);
  const border = Math.min(columns, rows) * BORDER;
  for (let y = 0, offset = 0; y < rows; y++) {
    for (let x = 0; x < columns; x++, offset += 4) {
      const [aside, down, pigment] = [0, 1, 2].map(
        (channel) => (clouds[offset + channel] ?? 128) / 255 - 0.5,
      ) as [number, number, number];
      const fromX = Math.min(columns - 1, Math.max(0, Math.round(x + aside * WANDER)));
      const fromY = Math.min(rows - 1, Math.max(0, Math.round(y + down * WANDER)));
      const from = (fromY * columns + fromX) * 4;
      const [red, green, blue] = [data[from] ?? 0, data[from + 1] ?? 0, data[from + 2] ?? 0];
      const light = (0.3 * red + 0.59 * green + 0.11 * blue) / 255;
      const level = Math.round((light + pigment * 0.08) * WASH_LEVELS) / WASH_LEVELS;
      const gain = (0.35 * light + 0.65 * level) / Math.max(0.02, light);
      const edge = Math.min(x, y, columns - 1 - x, rows - 1 - y) + (aside + down) * border * 1.1;
      const covers = Math.min(1, Math.max(0, (edge - border) / 3)) * (0.8 + pigment * 0.34);
      image.data[offset] = PAPER[0] + (Math.min(255, red * gain) - PAPER[0]) * covers;
      image.data[offset + 1] = PAPER[1] + (Math.min(255, green * gain) - PAPER[1]) * covers;
      image.data[offset + 2] = PAPER[2] + (Math.min(255, blue * gain) - PAPER[2]) * covers;
      image.data[offset + 3] = 255;
    }
  }
  darkenEdges(image.data, columns, rows);
  inner.putImageData(image, 0, 0);
  spread(surface, washes);
  paintPaper(surface);
}

/** Pigment gathers where a wash ends: a pixel much darker than one beside it gets darker still. */
function darkenEdges(data: Uint8ClampedArray, columns: number, rows: number): void {
  const reach = 2;
  for (let y = 0; y < rows - reach; y++) {
    for (let x = 0; x < columns - reach; x++) {
      const offset = (y * columns + x) * 4;
      const own = data[offset + 1] ?? 0;
      const beside = Math.max(data[offset + reach * 4 + 1] ?? 0, data[offset + reach * columns * 4 + 1] ?? 0);
      const drop = Math.min(0.22, Math.max(0, (beside - own - 7) / 110));
      for (let channel = offset; drop > 0 && channel < offset + 3; channel++) {
        data[channel] = (data[channel] ?? 0) * (1 - drop);
      }
    }
  }
}

/** Three soft clouds, one a channel. */
function cloudsOf(columns: number, rows: number, random: Random): Uint8ClampedArray {
  const noise = noiseOf(random);
  const cell = 6;
  const small = pixels(Math.ceil(columns / cell), Math.ceil(rows / cell), (x, y, out, offset) => {
    out[offset] = 255 * noise.fractal(x / 9, y / 9, 3);
    out[offset + 1] = 255 * noise.fractal(x / 9 + 50, y / 9 + 20, 3);
    out[offset + 2] = 255 * noise.fractal(x / 26 + 90, y / 26, 4);
    out[offset + 3] = 255;
  });
  const canvas = createCanvas(columns, rows);
  spread({ ctx: canvas.getContext("2d"), width: columns, height: rows }, small);
  return pixelsOf(canvas);
}

/** The grain of rough paper. */
function paintPaper({ ctx, width, height, unit, random }: Surface): void {
  const noise = noiseOf(random.fork("paper"));
  const tile = pixels(192, 192, (x, y, out, offset) => {
    out.fill(128 + (noise.at(x / 2.3, y / 2.3) - 0.5) * 190, offset, offset + 3);
    out[offset + 3] = 52;
  });
  const pattern = ctx.createPattern(tile, "repeat");
  if (!pattern) return;
  ctx.save();
  ctx.globalCompositeOperation = "soft-light";
  ctx.scale(unit, unit);
  ctx.fillStyle = pattern;
  ctx.fillRect(0, 0, width / unit, height / unit);
  ctx.restore();
}

const FILTERS: Readonly<Record<Style, (surface: Surface) => void>> = {
  oil: paintOil,
  watercolour: paintWatercolour,
  pixel: paintPixels,
  outline: paintOutline,
};
