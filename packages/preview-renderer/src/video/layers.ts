import { setImmediate as nextTurn } from "node:timers/promises";
import { type Canvas, createCanvas } from "@napi-rs/canvas";
import { bloomOf, paintLight } from "../finish.js";
import type { LayerMotion, Layers, Stage } from "../stage.js";

/** A part of a scene that moves by itself. */
export interface Layer {
  canvas: Canvas;
  /** Position of its upper left corner on the stage, in pixels. */
  x: number;
  y: number;
  depth: number;
  motion: LayerMotion;
}

/** The layers of one stage, from the back to the front, each as large as the stage. */
class LayerStack implements Layers {
  readonly layers: Layer[];

  constructor({ canvas }: Stage) {
    this.layers = [{ canvas, x: 0, y: 0, depth: 0.05, motion: "still" }];
  }

  begin(stage: Stage, depth: number, motion: LayerMotion): void {
    const canvas = createCanvas(stage.width, stage.height);
    stage.canvas = canvas;
    stage.ctx = canvas.getContext("2d");
    this.layers.push({ canvas, x: 0, y: 0, depth, motion });
  }

  flattened(): Canvas {
    return flattened(this.layers);
  }
}

/** All layers in one picture as large as the first of them. */
export function flattened(layers: readonly Layer[]): Canvas {
  const [first] = layers;
  const canvas = createCanvas(first?.canvas.width ?? 1, first?.canvas.height ?? 1);
  const ctx = canvas.getContext("2d");
  for (const layer of layers) ctx.drawImage(layer.canvas, layer.x, layer.y);
  return canvas;
}

/**
 * Paints a scene in layers. Each has the light of the whole scene on it and is cut to what it shows; what
 * shows nothing, or lies behind a layer that covers everything, is left out.
 * @param paint paints on the stage, whose canvas changes meanwhile
 */
export async function paintLayers(stage: Stage, paint: (stage: Stage) => void): Promise<Layer[]> {
  const stack = new LayerStack(stage);
  stage.layers = stack;
  paint(stage);
  const whole = stack.flattened();
  const bloom = bloomOf(stage, whole);
  release(whole);
  const shown: Layer[] = [];
  for (const layer of merged(stack.layers)) {
    const pixels = layer.canvas.data();
    const extent = extentOf(layer.canvas, pixels);
    if (!extent) continue;
    if (extent.isFull) shown.length = 0;
    light(stage, layer, pixels, bloom);
    shown.push(cutTo(layer, extent));
    // Only between turns of the event loop are the copies of the pixels given back.
    await nextTurn();
  }
  return shown;
}

/** Layers that stand still this close together are one: nobody sees them part, and each costs time. */
const DEPTH_STEP = 0.08;

function merged(layers: readonly Layer[]): Layer[] {
  const kept: Layer[] = [];
  for (const layer of layers) {
    const last = kept.at(-1);
    const isClose = last && Math.abs(layer.depth - last.depth) <= DEPTH_STEP;
    if (isClose && last.motion === "still" && layer.motion === "still") {
      last.canvas.getContext("2d").drawImage(layer.canvas, 0, 0);
      release(layer.canvas);
    } else {
      kept.push(layer);
    }
  }
  return kept;
}

/** Gives a canvas's pixels back now: the garbage collector does not see how much memory they take. */
function release(canvas: Canvas): void {
  canvas.width = 1;
  canvas.height = 1;
}

interface Extent {
  left: number;
  top: number;
  right: number;
  bottom: number;
  /** True when the layer hides everything behind it. */
  isFull: boolean;
}

/** The box of what a canvas shows; `undefined` for an empty one. */
function extentOf({ width, height }: Canvas, data: Buffer): Extent | undefined {
  const extent = { left: width, top: height, right: -1, bottom: -1, isFull: true };
  for (let y = 0, offset = 3; y < height; y++) {
    for (let x = 0; x < width; x++, offset += 4) {
      const alpha = data[offset] ?? 0;
      if (alpha < 255) extent.isFull = false;
      // A trace that nobody sees would make the layer much larger.
      if (alpha < 2) continue;
      if (x < extent.left) extent.left = x;
      if (x > extent.right) extent.right = x;
      if (y < extent.top) extent.top = y;
      extent.bottom = y;
    }
  }
  return extent.right < 0 ? undefined : extent;
}

/** Lays the light over a layer, and gives each pixel back the alpha that it had `before`. */
function light(stage: Stage, { canvas }: Layer, before: Buffer, bloom: Canvas): void {
  const { width, height } = canvas;
  const ctx = canvas.getContext("2d");
  paintLight({ ...stage, canvas, ctx }, bloom);
  const lit = ctx.getImageData(0, 0, width, height);
  for (let offset = 3; offset < lit.data.length; offset += 4) lit.data[offset] = before[offset] ?? 0;
  ctx.putImageData(lit, 0, 0);
}

function cutTo(layer: Layer, { left, top, right, bottom }: Extent): Layer {
  const [width, height] = [right - left + 1, bottom - top + 1];
  if (width * height > 0.9 * layer.canvas.width * layer.canvas.height) return layer;
  const canvas = createCanvas(width, height);
  canvas.getContext("2d").drawImage(layer.canvas, -left, -top);
  release(layer.canvas);
  return { ...layer, canvas, x: left, y: top };
}
