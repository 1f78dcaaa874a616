import type { Canvas } from "@napi-rs/canvas";
import { type Edit, editOf } from "./edit/edit.js";
import { paintEdit } from "./edit/paint-edit.js";
import { finish } from "./finish.js";
import { paintLabel } from "./label.js";
import { paintComposition } from "./scene/composition.js";
import { paintWeather } from "./scene/weather.js";
import { newStage, type StageSetting } from "./set-stage.js";
import { ratioOf, sizeOf } from "./size.js";
import { paintStyle } from "./style/styles.js";
import type { RenderTask } from "./task.js";
import { titlePlaceOf } from "./title-place.js";
import { paintTitle } from "./type/title.js";
import { type Scene, sceneOf } from "./words.js";

/** Width by height that suits a scene when neither the request nor a reference says. */
function ratioOfScene(scene: Scene): number {
  if (scene.subjects.includes("portrait")) return 3 / 4;
  return ["abstract", "poster", "space"].includes(scene.place) ? 1 : 3 / 2;
}

/**
 * Paints the picture of a task. The prompt is read in Russian and English, and what it does not say is
 * chosen from the seed, prompt and model; so one seed gives the same composition at every resolution
 * and mode, and the same task the same pixels. The ratio of `auto` is the first reference's, within 3:1,
 * else one that suits the scene. `generation_mode: "quality"` paints more and finer layers.
 * @param references open pictures; with them the prompt is read as an edit of them
 */
export function paintImage(
  task: Pick<RenderTask, "request" | "model" | "seed">,
  references: readonly Canvas[],
): Canvas {
  const { request } = task;
  const scene = sceneOf(request.prompt ?? "", references.length > 0 ? "addition" : "picture");
  const edit = references.length > 0 ? editOf(request.prompt ?? "") : undefined;
  const natural = naturalRatioOf(references, edit);
  const ratio = ratioOf(request.aspect_ratio) ?? natural ?? ratioOfScene(scene);
  const { width, height } = sizeOf(ratio, request.resolution);
  const isRich = request.generation_mode === "quality";
  const setting = { task, scene, width, height, isRich, references };
  const canvas = edit ? paintEdit(setting, edit) : paintScene(setting);
  paintLabel(canvas.getContext("2d"), width, height);
  return canvas;
}

function naturalRatioOf([first]: readonly Canvas[], edit: Edit | undefined): number | undefined {
  if (edit?.steps.includes("square")) return 1;
  return first && Math.min(3, Math.max(1 / 3, first.width / first.height));
}

/** Paints the picture of a scene without its label. */
export function paintScene(setting: StageSetting): Canvas {
  const stage = newStage(setting);
  paintComposition(stage);
  paintWeather(stage);
  finish(stage);
  if (setting.scene.style) paintStyle(stage, setting.scene.style);
  if (setting.scene.title.length > 0) paintTitle(stage.ctx, setting.scene.title, titlePlaceOf(stage));
  return stage.canvas;
}
