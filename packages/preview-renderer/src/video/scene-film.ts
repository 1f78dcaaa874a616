import { type Canvas, createCanvas, type SKRSContext2D } from "@napi-rs/canvas";
import { paintVignette } from "../finish.js";
import { paintBands } from "../references.js";
import { paintComposition } from "../scene/composition.js";
import { newStage } from "../set-stage.js";
import { FRONT, type Stage } from "../stage.js";
import { paintStyle } from "../style/styles.js";
import type { RenderTask } from "../task.js";
import { titlePlaceOf } from "../title-place.js";
import { paintTitle } from "../type/title.js";
import { type Style, sceneOf } from "../words.js";
import { cameraOf, STAGE_SCALE } from "./camera.js";
import { type Drifter, paintDrifters } from "./drifters.js";
import type { Film, Moment } from "./film.js";
import { flattened, type Layer, paintLayers } from "./layers.js";
import { paintMoving } from "./motions.js";
import type { VideoSize } from "./video-size.js";
import { lightsOf, weatherOf } from "./weather.js";

/** A scene is painted at most with this shorter side, and enlarged for what is larger. In pixels. */
const PAINTED_SIDE_MAX = 1080;

export interface SceneFilmOptions {
  task: Pick<RenderTask, "request" | "model" | "seed">;
  /** Open pictures, which are blended in and lend their colours. */
  references: readonly Canvas[];
  size: VideoSize;
  durationSec: number;
  /** One layer instead of many: the camera moves and the weather, not the things within the scene. */
  isFast: boolean;
}

/**
 * A film of the scene that a prompt asks for: painted in layers larger than the picture, before which a
 * camera moves, with clouds, water, weather and lights that move by themselves.
 */
export async function sceneFilm(options: SceneFilmOptions): Promise<Film> {
  const { task, references, size, durationSec, isFast } = options;
  const shrink = Math.min(1, PAINTED_SIDE_MAX / Math.min(size.width, size.height));
  const frame = { width: Math.round(size.width * shrink), height: Math.round(size.height * shrink) };
  const stage = newStage({
    task,
    scene: sceneOf(task.request.prompt ?? "", references.length > 0 ? "addition" : "picture"),
    width: Math.round(frame.width * STAGE_SCALE.width),
    height: Math.round(frame.height * STAGE_SCALE.height),
    isRich: !isFast,
    references,
  });
  const { unit, width, height } = stage;
  const camera = cameraOf(stage, frame, durationSec, stage.random.fork("camera"));
  const layers = await layersOf(stage, references, isFast);
  const lights = references.length > 0 ? [] : lightsOf(stage);
  const weather = weatherOf(stage);
  const veil = vignetteOf(stage, frame);
  const phases = layers.map((_, index) => stage.random.fork(`phase${index}`).next());

  const paintThings = (ctx: SKRSContext2D, things: readonly Drifter[], moment: Moment): void => {
    const place = (x: number, y: number, depth: number) => {
      const view = camera(depth, moment);
      return [x * view.scale + view.x, y * view.scale + view.y, view.scale] as const;
    };
    paintDrifters(ctx, things, { width, height, place, seconds: moment.seconds, alpha: 1 });
  };
  const paintScene = (ctx: SKRSContext2D, moment: Moment): void => {
    let areLightsOn = false;
    for (const [index, layer] of layers.entries()) {
      // The lights lie far away: what stands in front hides them.
      if (layer.depth >= FRONT && !areLightsOn) {
        areLightsOn = true;
        paintThings(ctx, lights, moment);
      }
      const { scale, x, y } = camera(layer.depth, moment);
      const box = { width: layer.canvas.width * scale, height: layer.canvas.height * scale };
      const corner = { x: layer.x * scale + x, y: layer.y * scale + y };
      paintMoving(ctx, { layer, ...corner, ...box, unit, phase: phases[index] ?? 0 }, moment);
    }
    if (!areLightsOn) paintThings(ctx, lights, moment);
    paintThings(ctx, weather, moment);
    if (stage.scene.place !== "poster") ctx.drawImage(veil, 0, 0);
  };
  return enlarged(titled(paintScene, stage, frame), frame, size);
}

/** The layers of the scene; references stand between its front and all that lies behind. */
async function layersOf(stage: Stage, references: readonly Canvas[], isFast: boolean): Promise<Layer[]> {
  const canvas = createCanvas(stage.width, stage.height);
  const blank: Stage = { ...stage, canvas, ctx: canvas.getContext("2d") };
  let layers = await paintLayers(stage, paintComposition);
  if (references.length > 0) {
    const isBehind = ({ depth }: Layer): boolean => depth < FRONT;
    const bands = await paintLayers(blank, (clear) => paintBands(clear, references));
    // Little of the back is seen beside the references: it moves as one.
    const back = asOne(layers.filter(isBehind), 0.2);
    layers = [back, ...bands, ...layers.filter((layer) => !isBehind(layer))];
  }
  const { style } = stage.scene;
  if (style) return [styled(stage, style, asOne(layers, 0.6))];
  return isFast ? [asOne(layers, 0.6)] : layers;
}

/** Painted once, so that its strokes keep still while the camera moves. */
function styled(stage: Stage, style: Style, layer: Layer): Layer {
  paintStyle({ ...stage, canvas: layer.canvas, ctx: layer.canvas.getContext("2d") }, style);
  return layer;
}

/** The film with the title of its scene, which stands still and is read best on the first picture. */
function titled(paint: Film["paint"], stage: Stage, { width, height }: VideoSize): Film["paint"] {
  const { title } = stage.scene;
  if (title.length === 0) return paint;
  const first = createCanvas(width, height).getContext("2d");
  paint(first, { seconds: 0, share: 0 });
  const letters = createCanvas(width, height);
  paintTitle(letters.getContext("2d"), title, titlePlaceOf({ ...stage, width, height }), first);
  return (ctx, moment) => {
    paint(ctx, moment);
    ctx.drawImage(letters, 0, 0);
  };
}

function asOne(layers: readonly Layer[], depth: number): Layer {
  return { canvas: flattened(layers), x: 0, y: 0, depth, motion: "still" };
}

function vignetteOf(stage: Stage, { width, height }: VideoSize) {
  const canvas = createCanvas(width, height);
  paintVignette({ ...stage, canvas, ctx: canvas.getContext("2d"), width, height });
  return canvas;
}

/** A film in the asked size from one that is painted smaller. */
function enlarged(paint: Film["paint"], from: VideoSize, to: VideoSize): Film {
  if (from.width === to.width && from.height === to.height) return { paint };
  const canvas = createCanvas(from.width, from.height);
  const inner = canvas.getContext("2d");
  return {
    paint(ctx, moment) {
      paint(inner, moment);
      ctx.imageSmoothingQuality = "medium";
      ctx.drawImage(canvas, 0, 0, to.width, to.height);
    },
  };
}
