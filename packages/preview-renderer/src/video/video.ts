import { join } from "node:path";
import { type Canvas, createCanvas, type SKRSContext2D } from "@napi-rs/canvas";
import { paintArt } from "../art.js";
import { NATURAL_RATIO_MAX, naturalRatioOf, ratioOf, typePlaceOf } from "../image.js";
import { soundtrackOf } from "../music/music.js";
import { paletteOf } from "../palette.js";
import { type Random, randomOfWish, smoothStep } from "../random.js";
import { openReferences, paintTiles } from "../references.js";
import { type RenderedFile, type RenderTask, store } from "../task.js";
import { paintLabel, paintWording, wordingOf } from "../type.js";
import { encodeMp4, FRAME_RATE } from "./mp4.js";

interface Size {
  width: number;
  height: number;
}

/** A moment of a film. */
interface Moment {
  /** 0 is the first picture, 1 the last. */
  share: number;
  /** Seconds since the first picture. */
  seconds: number;
}

/** Paints a moment of a film over the whole picture. */
type Paint = (ctx: SKRSContext2D, moment: Moment) => void;

/** The length of a video whose request does not say it, in seconds. */
const DEFAULT_DURATION_SEC = 5;
/** The shorter side of each resolution, in pixels. */
const SHORTER_SIDES: Readonly<Record<string, number>> = {
  "480p": 480,
  "720p": 720,
  "1080p": 1080,
  "4k": 2160,
};
const DEFAULT_SIDE = 720;
const DEFAULT_RATIO = 16 / 9;
/** Art is painted at most with this shorter side, and enlarged for what is larger. In pixels. */
const PAINTED_SIDE_MAX = 1080;

/**
 * Makes the video of a task, with sound when the request asks for it. It begins with the start frame and ends with
 * the end frame, where there are any; references are shown between them; without pictures it goes over abstract art
 * that the words colour.
 * @throws RenderError
 */
export async function renderVideo(task: RenderTask): Promise<RenderedFile[]> {
  const { request } = task;
  const largest = videoSizeOf(request.aspect_ratio, request.resolution, NATURAL_RATIO_MAX);
  const pictures = await openReferences(task.references, largest.width * largest.height);
  // The pictures come in the order of the request: the frames that it has, then the references.
  const start = typeof request.start_frame_url === "string" ? pictures.shift() : undefined;
  const end = typeof request.end_frame_url === "string" ? pictures.shift() : undefined;
  const size = videoSizeOf(request.aspect_ratio, request.resolution, start && naturalRatioOf(start));
  const asked = typeof request.duration_sec === "number" ? request.duration_sec : DEFAULT_DURATION_SEC;
  const count = Math.max(1, Math.round(asked * FRAME_RATE));
  const durationSec = count / FRAME_RATE;
  const random = randomOfWish(task).fork("film");

  const films: Paint[] = [];
  const nearest = Math.min(0.36, 0.1 + 0.016 * durationSec);
  if (start) films.push(stillFilm(joined([start], size), nearest, random.fork("start"), "start"));
  if (pictures.length > 0) films.push(referencesFilm(task, pictures, size, nearest, random));
  else if (!(start || end)) films.push(artFilm(task, size, nearest, random));
  if (end) films.push(stillFilm(joined([end], size), nearest, random.fork("end"), "end"));
  const film = sequence(films, size);

  const file = await encodeMp4({
    canvas: createCanvas(size.width, size.height),
    count,
    paint(ctx, index) {
      film(ctx, { share: index / Math.max(1, count - 1), seconds: index / FRAME_RATE });
      paintLabel(ctx, size.width, size.height);
    },
    sound: request.sound === true ? soundtrackOf(task, durationSec) : undefined,
  });
  const path = join(task.directory, "video.mp4");
  await store(path, file);
  return [{ path, mime: "video/mp4", ...size, durationSec }];
}

/**
 * The sides of a video, both even. The shorter side is 480, 720, 1080 or 2160 pixels for `480p`, `720p`, `1080p` and
 * `4K`, and 720 without a resolution; the longer side is the nearest even number that gives the ratio (16:9 at 480p
 * is 854 × 480). `auto` and a missing ratio mean the start frame's, within 3:1, else 16:9.
 * @param natural width by height of the start frame, if there is one
 */
export function videoSizeOf(aspectRatio: unknown, resolution: unknown, natural?: number): Size {
  const even = (length: number): number => Math.round(length / 2) * 2;
  const ratio = ratioOf(aspectRatio) ?? natural ?? DEFAULT_RATIO;
  const name = typeof resolution === "string" ? resolution.toLowerCase() : "";
  const side = SHORTER_SIDES[name] ?? DEFAULT_SIDE;
  return ratio >= 1
    ? { width: even(side * ratio), height: side }
    : { width: side, height: even(side / ratio) };
}

/** Sets off and comes to rest a little softly, and moves evenly between. */
function eased(share: number): number {
  return share * 0.65 + share * share * (3 - 2 * share) * 0.35;
}

/** A camera that goes slowly over abstract art. The words stand still before it. */
function artFilm(task: RenderTask, size: Size, nearest: number, random: Random): Paint {
  const prompt = task.request.prompt ?? "";
  const shrink = Math.min(1, PAINTED_SIDE_MAX / Math.min(size.width, size.height));
  const painted = { width: Math.round(size.width * shrink), height: Math.round(size.height * shrink) };
  const place = typePlaceOf(task);
  const isRich = task.request.video_speed_mode !== "fast";
  const { canvas, palette } = paintArt(task, prompt, painted, isRich, place);
  const exactAt = random.chance(0.7) ? "start" : "end";
  const film = stillFilm(joined([canvas], size), nearest, random.fork("camera"), exactAt);
  return worded(film, size, (ctx, behind) =>
    paintWording(ctx, wordingOf(prompt), place, { ...size, palette }, behind),
  );
}

/** The film with words that stand still, read best on its first picture. */
function worded(
  film: Paint,
  { width, height }: Size,
  paintWords: (ctx: SKRSContext2D, behind: SKRSContext2D) => void,
): Paint {
  const first = createCanvas(width, height).getContext("2d");
  film(first, { share: 0, seconds: 0 });
  const words = createCanvas(width, height);
  paintWords(words.getContext("2d"), first);
  return (ctx, moment) => {
    film(ctx, moment);
    ctx.drawImage(words, 0, 0);
  };
}

/** The references beside each other, or the only one, with the words of the prompt. */
function referencesFilm(
  task: RenderTask,
  pictures: readonly Canvas[],
  size: Size,
  nearest: number,
  random: Random,
): Paint {
  const prompt = task.request.prompt ?? "";
  // A collage that comes too near would lose the pictures at its edges.
  const film = stillFilm(
    joined(pictures, size),
    pictures.length > 1 ? nearest * 0.35 : nearest,
    random.fork("references"),
    "start",
  );
  const palette = paletteOf(prompt, random);
  return worded(film, size, (ctx, behind) =>
    paintWording(ctx, { ...wordingOf(prompt), scale: 0.6 }, "bottom", { ...size, palette }, behind),
  );
}

/** Radians that the camera turns for each part by which it comes nearer; the corners stay covered. */
const TURN = 0.09;

/**
 * A film of one picture: a camera that goes into it and aside. At one of its ends it shows exactly the picture.
 * @param nearest how much nearer the camera comes, as a part of the picture
 */
function stillFilm(picture: Canvas, nearest: number, random: Random, exactAt: "start" | "end"): Paint {
  const { width, height } = picture;
  // Towards a corner, so that it is seen to move whatever the picture shows.
  const angle = (Math.PI / 4) * (random.pick([1, 3, 5, 7]) + random.between(-0.4, 0.4));
  const turn = random.chance(0.5) ? TURN : -TURN;
  return (ctx, { share }) => {
    const zoom = nearest * eased(exactAt === "start" ? share : 1 - share);
    // What the turn takes of the room beside the picture is not there for going aside.
    const room = zoom * (0.5 - (TURN * Math.max(width, height)) / Math.min(width, height) / 2) * 0.9;
    ctx.save();
    ctx.translate(width * (0.5 + Math.cos(angle) * room), height * (0.5 + Math.sin(angle) * room));
    ctx.rotate(turn * zoom);
    ctx.scale(1 + zoom, 1 + zoom);
    ctx.drawImage(picture, -width / 2, -height / 2);
    ctx.restore();
  };
}

/** One picture over the whole size, cut at two sides where its shape is another, or a collage of several. */
function joined(pictures: readonly Canvas[], { width, height }: Size): Canvas {
  const canvas = createCanvas(width, height);
  paintTiles(canvas.getContext("2d"), pictures, width, height);
  return canvas;
}

/** Half of a change, as a part of the time that each of the films has. */
const HALF_CHANGE = 0.45;

/** Shows films one after the other, each growing out of the one before. */
function sequence(films: readonly Paint[], size: Size): Paint {
  const [first, ...others] = films;
  if (!first) throw new Error("a film needs art or a picture");
  if (others.length === 0) return first;
  const changes = others.map((next, index) => ({
    next,
    middle: (index + 1) / films.length,
    half: HALF_CHANGE / films.length,
  }));
  const layer = createCanvas(size.width, size.height);
  const inner = layer.getContext("2d");
  return (ctx, moment) => {
    let shown = first;
    for (const { next, middle, half } of changes) {
      const progress = (moment.share - middle + half) / (2 * half);
      if (progress >= 1) shown = next;
      if (progress <= 0 || progress >= 1) continue;
      shown(ctx, moment);
      next(inner, moment);
      ctx.globalAlpha = smoothStep(0, 1, progress);
      ctx.drawImage(layer, 0, 0);
      ctx.globalAlpha = 1;
      return;
    }
    shown(ctx, moment);
  };
}
