import { join } from "node:path";
import { type Canvas, createCanvas } from "@napi-rs/canvas";
import { paintLabel } from "../label.js";
import { randomOf } from "../random.js";
import { openReferences } from "../references.js";
import { store } from "../store.js";
import type { RenderedFile, RenderTask } from "../task.js";
import { sceneOf } from "../words.js";
import { ambience } from "./ambience.js";
import { loadCodecs } from "./codecs.js";
import { sequence } from "./dissolve.js";
import { type Film, FRAME_RATE, frameCountOf } from "./film.js";
import { packMp4 } from "./mp4.js";
import { record } from "./recorder.js";
import { sceneFilm } from "./scene-film.js";
import { recordSound } from "./sound-recorder.js";
import { stillFilm } from "./still-film.js";
import { NATURAL_RATIO_MAX, type VideoSize, videoSizeOf } from "./video-size.js";

/** The length of a video whose request does not say it, in seconds. */
const DEFAULT_DURATION_SEC = 5;

/** The pictures of a request by what they are for. */
interface Inputs {
  start: Canvas | undefined;
  end: Canvas | undefined;
  references: readonly Canvas[];
}

/**
 * Makes the video of a task: MP4 with H.264 yuv420p at 24 pictures a second, and AAC when the request asks
 * for sound. It begins with the start frame and ends with the end frame, where there are any; references
 * are blended into the scene of the prompt. The same task gives the same bytes on one machine.
 * @throws RenderError
 */
export async function renderVideo(task: RenderTask): Promise<RenderedFile[]> {
  const codecs = await loadCodecs();
  const { request } = task;
  const largest = videoSizeOf(request.aspect_ratio, request.resolution, NATURAL_RATIO_MAX);
  const inputs = inputsOf(task, await openReferences(task.references, largest.width * largest.height));
  const natural = inputs.start && inputs.start.width / inputs.start.height;
  const size = videoSizeOf(request.aspect_ratio, request.resolution, natural);
  const asked = typeof request.duration_sec === "number" ? request.duration_sec : DEFAULT_DURATION_SEC;
  const durationSec = frameCountOf(asked) / FRAME_RATE;

  const film = labelled(await filmOf(task, inputs, size, durationSec), size);
  const recording = await record(codecs, film, createCanvas(size.width, size.height), durationSec);
  const scene = sceneOf(request.prompt ?? "");
  const random = randomOf(seedOf(task)).fork("sound");
  const sound =
    request.sound === true ? await recordSound(codecs, ambience(scene, durationSec, random)) : undefined;
  const path = join(task.directory, "video.mp4");
  await store(path, await packMp4(codecs, size, recording, sound));
  return [{ path, mime: "video/mp4", ...size, durationSec }];
}

const seedOf = ({ seed, model, request }: RenderTask): string => `${seed}\n${model}\n${request.prompt ?? ""}`;

/** The pictures come in the order of the request: the frames that it has, then the references. */
function inputsOf({ request }: RenderTask, images: readonly Canvas[]): Inputs {
  const waiting = [...images];
  const start = typeof request.start_frame_url === "string" ? waiting.shift() : undefined;
  const end = typeof request.end_frame_url === "string" ? waiting.shift() : undefined;
  return { start, end, references: waiting };
}

/** The scene of the prompt, unless frames take its place; between frames it is seen when references are given. */
async function filmOf(
  task: RenderTask,
  { start, end, references }: Inputs,
  size: VideoSize,
  durationSec: number,
): Promise<Film> {
  const isFast = task.request.video_speed_mode === "fast";
  const random = randomOf(seedOf(task));
  const films: Film[] = [];
  const addStill = (image: Canvas, exactAt: "start" | "end"): void => {
    films.push(stillFilm({ image, size, durationSec, random: random.fork(exactAt), exactAt }));
  };
  if (start) addStill(start, "start");
  if (!(start || end) || references.length > 0) {
    films.push(await sceneFilm({ task, references, size, durationSec, isFast }));
  }
  if (end) addStill(end, "end");
  const [first, ...others] = films;
  if (!first) throw new Error("a film needs a scene or a frame");
  return sequence([first, ...others], size, seedOf(task));
}

/** The film with the label of the local renderer on every picture. */
function labelled(film: Film, { width, height }: VideoSize): Film {
  return {
    paint(ctx, moment) {
      film.paint(ctx, moment);
      paintLabel(ctx, width, height);
    },
  };
}
