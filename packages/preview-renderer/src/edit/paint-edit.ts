import type { Canvas } from "@napi-rs/canvas";
import { paintWeather } from "../scene/weather.js";
import { newStage, type StageSetting } from "../set-stage.js";
import type { Stage } from "../stage.js";
import { paintStyle } from "../style/styles.js";
import { overPicture } from "../title-place.js";
import { paintTitle } from "../type/title.js";
import type { Edit, EditStep } from "./edit.js";
import { paintNote } from "./note.js";
import { paintTiles } from "./tiles.js";
import { applyTone } from "./tones.js";

const FALLS: ReadonlySet<EditStep> = new Set(["winter", "snow"] as const);

/**
 * Paints the pictures that are given with what the edit asks for; several become a collage. What is not done leaves
 * them as they are, with a note that says so.
 */
export function paintEdit(setting: StageSetting, edit: Edit): Canvas {
  const stage = newStage(setting);
  const { canvas, ctx, width, height } = stage;
  const { steps, style, texts, undone } = edit;
  ctx.save();
  if (steps.includes("mirror")) {
    ctx.translate(width, 0);
    ctx.scale(-1, 1);
  }
  const tiles = paintTiles(ctx, setting.references, width, height);
  ctx.restore();
  ctx.save();
  // The gaps of a collage keep their white. They lie the same way when mirrored.
  ctx.beginPath();
  for (const tile of tiles) ctx.rect(tile.x, tile.y, tile.width, tile.height);
  ctx.clip();
  for (const step of steps) applyTone({ canvas, ctx, width, height }, step);
  ctx.restore();
  if (steps.some((step) => FALLS.has(step))) paintFalling(stage, "snow");
  if (steps.includes("rain")) paintFalling(stage, "rain");
  if (style) paintStyle(stage, style);
  if (texts.length > 0) paintTitle(ctx, texts, overPicture(stage, edit.isTextBelow));
  if (undone !== "") paintNote(ctx, width, height, undone);
  return canvas;
}

function paintFalling(stage: Stage, weather: "snow" | "rain"): void {
  paintWeather({ ...stage, scene: { ...stage.scene, weather, season: undefined, isIndoors: false } });
}
