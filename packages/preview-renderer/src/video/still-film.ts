import { type Canvas, createCanvas, type SKRSContext2D } from "@napi-rs/canvas";
import { colourOf, css } from "../colour.js";
import type { Random } from "../random.js";
import { radial } from "../stage.js";
import { eased, type Film } from "./film.js";
import type { VideoSize } from "./video-size.js";

export interface StillFilmOptions {
  image: Canvas;
  size: VideoSize;
  durationSec: number;
  random: Random;
  /** The picture is seen as it is at the very beginning of the film, or at its very end. */
  exactAt: "start" | "end";
}

/** Radians that the camera turns for each part by which it comes nearer; the corners stay covered. */
const TURN = 0.09;

/**
 * A film of one picture, cut to the size from its middle: a camera that goes into it and aside, and a gleam
 * that passes over it. At one of its ends the film shows exactly the picture.
 */
export function stillFilm({ image, size, durationSec, random, exactAt }: StillFilmOptions): Film {
  const { width, height } = size;
  const picture = covering(image, size);
  const nearest = Math.min(0.4, 0.1 + 0.018 * durationSec);
  const angle = random.next() * Math.PI * 2;
  const turn = random.chance(0.5) ? TURN : -TURN;
  return {
    paint(ctx, { share, seconds }) {
      const away = exactAt === "start" ? share : 1 - share;
      const zoom = nearest * eased(away);
      // What the turn takes of the room beside the picture is not there for going aside.
      const room = zoom * (0.5 - (TURN * Math.max(width, height)) / Math.min(width, height) / 2);
      ctx.save();
      ctx.translate(
        width * (0.5 + Math.cos(angle) * room * 0.9),
        height * (0.5 + Math.sin(angle) * room * 0.9),
      );
      ctx.rotate(turn * zoom);
      ctx.scale(1 + zoom, 1 + zoom);
      ctx.drawImage(picture, -width / 2, -height / 2);
      ctx.restore();
      paintGleam(ctx, size, seconds, Math.min(1, away * 3));
    },
  };
}

/** The picture over the whole size, cut at two sides where its shape is another. */
function covering(image: Canvas, { width, height }: VideoSize): Canvas {
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

const GLEAM = colourOf("#fff1d6");
/** Seconds that the gleam takes from one side to the other and back. */
const GLEAM_SEC = 9;

/** Soft light that wanders over the picture. */
function paintGleam(
  ctx: SKRSContext2D,
  { width, height }: VideoSize,
  seconds: number,
  strength: number,
): void {
  if (strength <= 0) return;
  const way = (seconds * Math.PI * 2) / GLEAM_SEC;
  const [x, y] = [width * (0.5 - 0.5 * Math.cos(way)), height * (0.3 + 0.15 * Math.sin(way * 0.7))];
  const reach = Math.max(width, height) * 0.4;
  ctx.save();
  ctx.globalCompositeOperation = "screen";
  ctx.fillStyle = radial(ctx, x, y, reach, [
    [0, css(GLEAM, 0.2 * strength)],
    [0.5, css(GLEAM, 0.07 * strength)],
    [1, css(GLEAM, 0)],
  ]);
  ctx.fillRect(x - reach, y - reach, reach * 2, reach * 2);
  ctx.restore();
}
