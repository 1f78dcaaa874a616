import { join } from "node:path";
import { type Canvas, createCanvas, type SKRSContext2D } from "@napi-rs/canvas";
import { flattened, paintArt } from "../art.js";
import { css } from "../colour.js";
import { NATURAL_RATIO_MAX, naturalRatioOf, ratioOf, typePlaceOf } from "../image.js";
import { soundtrackOf } from "../music/music.js";
import { paletteOf } from "../palette.js";
import { noiseOf, type Random, randomOfWish, smoothStep } from "../random.js";
import { openReferences, paintTiles } from "../references.js";
import { STYLES } from "../style.js";
import { type RenderedFile, type RenderTask, store } from "../task.js";
import { paintLabel, paintWording, wordingOf } from "../type.js";
import { found, wordsOf } from "../words.js";
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
  if (start) films.push(stillFilm(covering(start, size), nearest, random.fork("start"), "start"));
  if (pictures.length > 0) films.push(referencesFilm(task, pictures, size, nearest, random));
  else if (!(start || end)) films.push(artFilm(task, size, durationSec, random));
  if (end) films.push(stillFilm(covering(end, size), nearest, random.fork("end"), "end"));
  const film = sequence(films, size, random.fork("dissolve"));

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

/** How much wider and taller than the picture its art is, so that the camera has room. */
const ROOM = 1.12;

/** A camera that goes slowly over abstract art; near layers move most. The words stand still before it. */
function artFilm(task: RenderTask, size: Size, durationSec: number, random: Random): Paint {
  const prompt = task.request.prompt ?? "";
  const isFast = task.request.video_speed_mode === "fast";
  const shrink = Math.min(1, PAINTED_SIDE_MAX / Math.min(size.width, size.height));
  const room = {
    width: Math.round(size.width * shrink * ROOM),
    height: Math.round(size.height * shrink * ROOM),
  };
  const [style] = found(wordsOf(prompt), STYLES);
  const place = typePlaceOf(task);
  const isLayered = !(isFast || style);
  const art = paintArt(task, prompt, room, { isRich: !isFast, isLayered, place });
  const layers = style ? [{ canvas: flattened(art, random, style), depth: 0.5 }] : art.layers;
  const dice = random.fork("camera");
  const aside = dice.pick([-1, 1]) * 0.5 * (ROOM - 1) * 0.92;
  const upward = dice.between(-1, 1) * 0.5 * (ROOM - 1) * 0.92;
  const zoom = Math.min(0.3, 0.07 + 0.018 * durationSec);
  const goesIn = dice.chance(0.7);
  const [width, height] = [size.width * ROOM, size.height * ROOM];
  const motes = isFast ? () => {} : motesOf(size, css(art.palette.accent), random.fork("motes"));
  const film: Paint = (ctx, moment) => {
    const way = eased(moment.share);
    ctx.imageSmoothingQuality = "low";
    for (const { canvas, depth } of layers) {
      const near = 1 + zoom * (goesIn ? way : 1 - way) * (0.35 + 0.65 * depth);
      const swing = (way - 0.5) * 2 * (0.25 + 0.75 * depth);
      const x = size.width / 2 + aside * swing * size.width - (width / 2) * near;
      const y = size.height / 2 + upward * swing * size.height - (height / 2) * near;
      ctx.drawImage(canvas, x, y, width * near, height * near);
    }
    motes(ctx, moment);
  };
  return worded(film, size, (ctx, behind) =>
    paintWording(ctx, wordingOf(prompt), place, { ...size, palette: art.palette }, behind),
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

/** Specks of light that float and twinkle. */
function motesOf({ width, height }: Size, colour: string, random: Random): Paint {
  const unit = Math.sqrt(width * height) / 1024;
  const side = 32;
  const sprite = createCanvas(side, side);
  const inner = sprite.getContext("2d");
  const spot = inner.createRadialGradient(side / 2, side / 2, 0, side / 2, side / 2, side / 2);
  spot.addColorStop(0, colour);
  spot.addColorStop(0.3, colour.replace(/[\d.]+\)$/, "0.35)"));
  spot.addColorStop(1, colour.replace(/[\d.]+\)$/, "0)"));
  inner.fillStyle = spot;
  inner.fillRect(0, 0, side, side);
  const motes = Array.from({ length: 34 }, () => ({
    x: random.next(),
    y: random.next(),
    reach: unit * (random.chance(0.2) ? random.between(18, 34) : random.between(4, 12)),
    speedX: random.between(-0.012, 0.012),
    speedY: random.between(-0.02, -0.004),
    rate: random.between(0.6, 1.8),
    phase: random.between(0, 7),
  }));
  return (ctx, { seconds }) => {
    ctx.save();
    ctx.globalCompositeOperation = "screen";
    for (const { x, y, reach, speedX, speedY, rate, phase } of motes) {
      ctx.globalAlpha = (reach > unit * 14 ? 0.16 : 0.5) * (0.5 + 0.5 * Math.sin(seconds * rate + phase));
      const [left, top] = [(x + speedX * seconds + 2) % 1, (y + speedY * seconds + 2) % 1];
      ctx.drawImage(sprite, left * width - reach, top * height - reach, reach * 2, reach * 2);
    }
    ctx.restore();
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
  const collage = createCanvas(size.width, size.height);
  paintTiles(collage.getContext("2d"), pictures, size.width, size.height);
  // A collage that comes too near would lose the pictures at its edges.
  const film = stillFilm(
    collage,
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

/** The picture over the whole size, cut at two sides where its shape is another. */
function covering(image: Canvas, { width, height }: Size): Canvas {
  const canvas = createCanvas(width, height);
  const ctx = canvas.getContext("2d");
  // Behind what is transparent in it.
  ctx.fillStyle = "#101218";
  ctx.fillRect(0, 0, width, height);
  const scale = Math.max(width / image.width, height / image.height);
  const [wide, tall] = [image.width * scale, image.height * scale];
  ctx.imageSmoothingQuality = "high";
  ctx.drawImage(image, (width - wide) / 2, (height - tall) / 2, wide, tall);
  return canvas;
}

/** Pixels on the longer side of the mask, which is enlarged. */
const MASK_SIDE = 120;
/** How soft the edge of what has changed already is; the mask's values reach from 0 to 1. */
const SOFTNESS = 0.28;
/** Half of a change, as a part of the time that each of the films has. */
const HALF_CHANGE = 0.45;

/** Shows films one after the other, each growing out of the one before in clouds. */
function sequence(films: readonly Paint[], size: Size, random: Random): Paint {
  const [first, ...others] = films;
  if (!first) throw new Error("a film needs art or a picture");
  if (others.length === 0) return first;
  const changes = others.map((next, index) => ({
    next,
    middle: (index + 1) / films.length,
    half: HALF_CHANGE / films.length,
  }));
  const maskAt = dissolveMask(size, random);
  const layer = createCanvas(size.width, size.height);
  const inner = layer.getContext("2d");
  return (ctx, moment) => {
    let shown = first;
    for (const { next, middle, half } of changes) {
      const progress = (moment.share - middle + half) / (2 * half);
      if (progress >= 1) shown = next;
      if (progress <= 0 || progress >= 1) continue;
      shown(ctx, moment);
      inner.globalCompositeOperation = "source-over";
      next(inner, moment);
      inner.globalCompositeOperation = "destination-in";
      inner.drawImage(maskAt(progress), 0, 0, size.width, size.height);
      ctx.drawImage(layer, 0, 0);
      return;
    }
    shown(ctx, moment);
  };
}

/** Makes the mask of what has changed at a progress of 0 to 1: patches that grow together. */
function dissolveMask({ width, height }: Size, random: Random): (progress: number) => Canvas {
  const scale = MASK_SIDE / Math.max(width, height);
  const [columns, rows] = [Math.ceil(width * scale), Math.ceil(height * scale)];
  const noise = noiseOf(random);
  const values = Float32Array.from({ length: columns * rows }, (_, index) => {
    const [x, y] = [index % columns, Math.floor(index / columns)];
    // Stretched, because fractal noise seldom comes near its limits.
    const value = 0.5 + (noise.fractal(x / 34, y / 34, 4) - 0.5) * 1.9;
    return Math.min(1, Math.max(0, value));
  });
  const canvas = createCanvas(columns, rows);
  const ctx = canvas.getContext("2d");
  const picture = ctx.createImageData(columns, rows);
  return (progress) => {
    const edge = progress * (1 + SOFTNESS * 2) - SOFTNESS;
    for (const [index, value] of values.entries()) {
      picture.data[index * 4 + 3] = 255 * smoothStep(value - SOFTNESS, value + SOFTNESS, edge);
    }
    ctx.putImageData(picture, 0, 0);
    return canvas;
  };
}
