import { type Canvas, createCanvas } from "@napi-rs/canvas";
import { paletteOf } from "./palette.js";
import { randomOf } from "./random.js";
import { coloursOf } from "./references.js";
import type { Stage } from "./stage.js";
import type { RenderTask } from "./task.js";
import type { Scene } from "./words.js";

export interface StageSetting {
  task: Pick<RenderTask, "request" | "model" | "seed">;
  scene: Scene;
  /** Width in pixels. */
  width: number;
  height: number;
  isRich: boolean;
  /** Open pictures, which lend their colours. */
  references: readonly Canvas[];
}

/** An empty stage for a scene. The task's seed, model and prompt decide all that the scene leaves open. */
export function newStage({ task, scene, width, height, isRich, references }: StageSetting): Stage {
  const canvas = createCanvas(width, height);
  const random = randomOf(`${task.seed}\n${task.model}\n${task.request.prompt ?? ""}`);
  return {
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
}

const HORIZONS = {
  sea: 0.56,
  lake: 0.56,
  forest: 0.52,
  city: 0.74,
  mountains: 0.6,
  desert: 0.52,
  roof: 0.66,
  meadow: 0.54,
  space: 1,
  moon: 0.66,
  abstract: 0.6,
  poster: 0.6,
  room: 0.7,
  studio: 0.6,
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
