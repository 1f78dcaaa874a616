import { type Canvas, createCanvas, type SKRSContext2D } from "@napi-rs/canvas";
import type { EditStep } from "./edit.js";

interface Surface {
  canvas: Canvas;
  ctx: SKRSContext2D;
  width: number;
  height: number;
}

type Layer = readonly [mode: SKRSContext2D["globalCompositeOperation"], colour: string, alpha: number];

/** Colours laid over the whole picture, the first one first. */
const LAYERS: Partial<Record<EditStep, readonly Layer[]>> = {
  grey: [["saturation", "#808080", 1]],
  sepia: [
    ["saturation", "#808080", 1],
    ["color", "#9c7a4a", 0.75],
    ["soft-light", "#f2ddb0", 0.25],
  ],
  night: [
    ["saturation", "#808080", 0.35],
    ["multiply", "#5a70b4", 1],
    ["soft-light", "#101c4a", 0.3],
  ],
  brighter: [
    ["screen", "#ffffff", 0.14],
    ["soft-light", "#ffffff", 0.4],
  ],
  darker: [["multiply", "#8a8a8a", 1]],
  warmer: [["soft-light", "#ff8a1e", 0.5]],
  colder: [["soft-light", "#1e7dff", 0.5]],
  winter: [
    ["saturation", "#808080", 0.6],
    ["soft-light", "#cfe4ff", 0.75],
    ["screen", "#b9d0ea", 0.22],
  ],
};

/** The pixels of a blurred copy for each 1024 of the picture's side: what is lost is the blur. */
const BLUR_SIDE = 150;

/** Changes the tones of all that is painted. */
export function applyTone(surface: Surface, step: EditStep): void {
  const { ctx, width, height } = surface;
  if (step === "blur") {
    applyBlur(surface);
    return;
  }
  ctx.save();
  for (const [mode, colour, alpha] of LAYERS[step] ?? []) {
    ctx.globalCompositeOperation = mode;
    ctx.globalAlpha = alpha;
    ctx.fillStyle = colour;
    ctx.fillRect(0, 0, width, height);
  }
  ctx.restore();
}

function applyBlur({ canvas, ctx, width, height }: Surface): void {
  const scale = BLUR_SIDE / Math.sqrt(width * height);
  const small = createCanvas(Math.ceil(width * scale), Math.ceil(height * scale));
  const inner = small.getContext("2d");
  inner.imageSmoothingQuality = "high";
  inner.drawImage(canvas, 0, 0, small.width, small.height);
  const soft = createCanvas(small.width, small.height);
  const out = soft.getContext("2d");
  // The sharp copy below keeps the edges opaque, where a blur mixes with the clear outside.
  out.drawImage(small, 0, 0);
  out.filter = "blur(1.6px)";
  out.drawImage(small, 0, 0);
  ctx.imageSmoothingQuality = "high";
  ctx.drawImage(soft, 0, 0, width, height);
}
