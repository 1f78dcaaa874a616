import { createCanvas } from "@napi-rs/canvas";
import { noiseOf } from "../noise.js";
import { pixels, type Stage, spread } from "../stage.js";
import { copyOf, pixelsOf } from "./copy.js";

const PER_UNIT = 1;
const PAPER = [253, 250, 243] as const;
/** Washes from light to dark. */
const LEVELS = 7;
/** How far the edges wander, in pixels of the copy. */
const WANDER = 15;
/** Width of the bare border of the paper, as a part of the shorter side. */
const BORDER = 0.035;

/** Washes of transparent colour on paper, with darker edges and a bare border. */
export function paintWatercolour(stage: Stage): void {
  const { ctx, width, height, random } = stage;
  const source = copyOf(stage, PER_UNIT, "blur(2px) saturate(1.25)");
  const { width: columns, height: rows } = source;
  const data = pixelsOf(source);
  const clouds = cloudsOf(columns, rows, `${random.fork("wash").next()}`);
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
      const level = Math.round((light + pigment * 0.08) * LEVELS) / LEVELS;
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
  spread(ctx, washes, 0, 0, width, height);
  paintPaper(stage);
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
function cloudsOf(columns: number, rows: number, seed: string): Uint8ClampedArray {
  const noise = noiseOf(seed);
  const cell = 6;
  const small = pixels(Math.ceil(columns / cell), Math.ceil(rows / cell), (x, y, out, offset) => {
    out[offset] = 255 * noise.fractal(x / 9, y / 9, 3);
    out[offset + 1] = 255 * noise.fractal(x / 9 + 50, y / 9 + 20, 3);
    out[offset + 2] = 255 * noise.fractal(x / 26 + 90, y / 26, 4);
    out[offset + 3] = 255;
  });
  const canvas = createCanvas(columns, rows);
  spread(canvas.getContext("2d"), small, 0, 0, columns, rows);
  return pixelsOf(canvas);
}

/** The grain of rough paper. */
function paintPaper({ ctx, width, height, unit, random }: Stage): void {
  const noise = noiseOf(`${random.fork("paper").next()}`);
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
