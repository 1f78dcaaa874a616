import { type Canvas, createCanvas, type Image } from "@napi-rs/canvas";
import type { GenerationTask } from "../../core/jobs/provider.js";
import { finish } from "./finish.js";
import { paintLabel } from "./label.js";
import { paletteOf } from "./palette.js";
import { randomOf } from "./random.js";
import { coloursOf, paintReferences } from "./references.js";
import { paintComposition } from "./scene/composition.js";
import { paintWeather } from "./scene/weather.js";
import { ratioOf, sizeOf } from "./size.js";
import type { Stage } from "./stage.js";
import { type Scene, sceneOf } from "./words.js";

/** Width by height that suits a scene when neither the request nor a reference says. */
function ratioOfScene(scene: Scene): number {
  if (scene.subjects.includes("portrait")) return 3 / 4;
  return scene.place === "abstract" || scene.place === "space" ? 1 : 3 / 2;
}

/**
 * Paints the picture of a task. The prompt is read in Russian and English, and what it does not say is
 * chosen from the seed, prompt and model; so one seed gives the same composition at every resolution
 * and mode, and the same task the same pixels. The ratio of `auto` is the first reference's, within 3:1,
 * else one that suits the scene. `generation_mode: "quality"` paints more and finer layers.
 * @param references open pictures, which are blended in and lend their colours
 */
export function paintImage(
  task: Pick<GenerationTask, "request" | "model" | "seed">,
  references: readonly Image[],
): Canvas {
  const { request, model, seed } = task;
  const prompt = request.prompt ?? "";
  const [first] = references;
  const natural = first && Math.min(3, Math.max(1 / 3, first.width / first.height));
  const ratio = ratioOf(request.aspect_ratio) ?? natural ?? ratioOfScene(sceneOf(prompt));
  const { width, height } = sizeOf(ratio, request.resolution);
  const isRich = request.generation_mode === "quality";
  const canvas = paintScene({ prompt, model, seed, width, height, isRich }, references);
  paintLabel(canvas.getContext("2d"), width, height);
  return canvas;
}

/** What decides a picture's content; sides in pixels. */
interface Sitting {
  prompt: string;
  model: string;
  seed: number;
  width: number;
  height: number;
  isRich: boolean;
}

/** Paints a picture without its label. */
export function paintScene(sitting: Sitting, references: readonly Image[]): Canvas {
  const { prompt, model, seed, width, height, isRich } = sitting;
  const scene = sceneOf(prompt);
  const canvas = createCanvas(width, height);
  const random = randomOf(`${seed}\n${model}\n${prompt}`);
  const stage: Stage = {
    canvas,
    ctx: canvas.getContext("2d"),
    width,
    height,
    unit: Math.sqrt(width * height) / 1024,
    isRich,
    scene,
    palette: paletteOf(scene, random.fork("palette"), coloursOf(references)),
    random,
    ...layoutOf(scene, width, height, random.fork("layout").next(), random.fork("sun").next()),
  };
  paintComposition(stage);
  if (references.length > 0) paintReferences(stage, references);
  paintWeather(stage);
  finish(stage);
  return canvas;
}

const HORIZONS = {
  sea: 0.56,
  lake: 0.56,
  forest: 0.52,
  city: 0.74,
  mountains: 0.6,
  desert: 0.52,
  meadow: 0.54,
  space: 1,
  moon: 0.66,
  abstract: 0.6,
} as const;

function layoutOf(scene: Scene, width: number, height: number, first: number, second: number) {
  const horizon = height * (HORIZONS[scene.place] + (first - 0.5) * 0.05);
  const unit = Math.sqrt(width * height) / 1024;
  const isLow = scene.time === "sunset" || scene.time === "dawn";
  const share = second < 0.5 ? 0.24 + second * 0.3 : 0.61 + (second - 0.5) * 0.3;
  const radius = unit * (scene.time === "night" ? 50 : isLow ? 62 : 40);
  const y = isLow ? horizon - radius * (0.7 + first * 1.4) : horizon * (0.2 + first * 0.16);
  return { horizon, sun: { x: width * share, y, radius } };
}
