import { type Canvas, createCanvas } from "@napi-rs/canvas";
import { colourOfRgb } from "../src/colour.js";
import { finish } from "../src/finish.js";
import { paintComposition } from "../src/scene/composition.js";
import { paintWeather } from "../src/scene/weather.js";
import { newStage } from "../src/set-stage.js";
import type { Stage } from "../src/stage.js";
import { sceneOf } from "../src/words.js";

export interface Visibility {
  /** The part of the picture that the subject covers, 0 to 1. */
  area: number;
  /** The mean difference from what would be seen without it: 0 invisible, 1 black on white. */
  contrast: number;
}

const SIDES = { width: 384, height: 256 } as const;

/** How well the only subject of a prompt is seen in its picture. */
export function visibilityOf(prompt: string, generationMode: "fast" | "quality", seed: number): Visibility {
  const request = { type: "image", model_key: "test", prompt } as const;
  const task = { request, model: "test", seed };
  const isRich = generationMode === "quality";
  const stage = newStage({ task, scene: sceneOf(prompt), ...SIDES, isRich, references: [] });
  const canvases: Canvas[] = [stage.canvas];
  const flattened = (): Canvas => flat(canvases);
  const begin = (shown: Stage): void => {
    shown.canvas = createCanvas(shown.width, shown.height);
    shown.ctx = shown.canvas.getContext("2d");
    canvases.push(shown.canvas);
  };
  paintComposition({ ...stage, layers: { begin, flattened } });
  const subject = pixelsOf(canvases.at(-1));
  const [shown, bare] = [canvases, canvases.slice(0, -1)].map((layers) => {
    const canvas = flat(layers);
    const whole = { ...stage, canvas, ctx: canvas.getContext("2d") };
    paintWeather(whole);
    finish(whole);
    return pixelsOf(canvas);
  });
  let count = 0;
  let difference = 0;
  for (let offset = 0; offset < subject.length; offset += 4) {
    if ((subject[offset + 3] ?? 0) < 200) continue;
    const [seen, behind] = [shown, bare].map((data) =>
      colourOfRgb(data?.[offset] ?? 0, data?.[offset + 1] ?? 0, data?.[offset + 2] ?? 0),
    );
    if (!seen || !behind) continue;
    difference += Math.hypot(seen.l - behind.l, seen.a - behind.a, seen.b - behind.b);
    count++;
  }
  return { area: count / (subject.length / 4), contrast: count === 0 ? 0 : difference / count };
}

function flat(layers: readonly Canvas[]): Canvas {
  const canvas = createCanvas(SIDES.width, SIDES.height);
  const ctx = canvas.getContext("2d");
  for (const layer of layers) ctx.drawImage(layer, 0, 0);
  return canvas;
}

function pixelsOf(canvas: Canvas | undefined): Uint8ClampedArray {
  const ctx = canvas?.getContext("2d");
  return ctx?.getImageData(0, 0, SIDES.width, SIDES.height).data ?? new Uint8ClampedArray();
}
