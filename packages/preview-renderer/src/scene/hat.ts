import { Path2D } from "@napi-rs/canvas";
import { type Colour, colourOf, css, lighten, mix } from "../colour.js";
import { type Stage, vertical } from "../stage.js";
import type { Subject } from "../words.js";
import { enter, figureColour, paintShape, type Spot } from "./figures.js";
import { joined } from "./limbs.js";

const hat = () =>
  joined(
    "M27 84 C26 56 28 34 36 28 C42 24 46 31 50 31 C54 31 58 24 64 28 C72 34 74 56 73 84 Z",
    "M2 80 C8 71 20 78 50 78 C80 78 92 71 98 80 C100 92 76 100 50 100 C24 100 0 92 2 80 Z",
  );
const BAND = "M27 68 C40 73 60 73 73 68 L73.2 80 C60 85 40 85 26.8 80 Z";

/** Heads that can wear a hat: the middle of the brim and its width, in their own box. */
const HEADS: Partial<Record<Subject, readonly [x: number, y: number, width: number]>> = {
  cat: [50, 30, 46],
  dog: [45, 24, 44],
  fox: [43, 27, 40],
  horse: [22, 14, 24],
  unicorn: [24, 14, 22],
  deer: [29, 27, 20],
  dragon: [33, 12, 24],
  robot: [50, 16, 66],
  person: [50, 7.4, 22],
};

export const canWearHat = (subject: Subject): boolean => HEADS[subject] !== undefined;

/** A hat with a brim and a band. */
export function paintHat(stage: Stage, spot: Spot, own: Colour): void {
  const { ctx, palette } = stage;
  paintShape(stage, hat(), spot, own);
  enter(stage, spot);
  const band = figureColour(stage, mix(colourOf("#c23b3b"), palette.accent, 0.25));
  ctx.fillStyle = vertical(ctx, 66, 86, [
    [0, css(lighten(band, 0.05))],
    [1, css(lighten(band, -0.06))],
  ]);
  ctx.fill(new Path2D(BAND));
  ctx.restore();
}

/** Subjects that are painted with their faces to the sun. */
const TURNED: ReadonlySet<Subject> = new Set(["dog", "fox", "horse", "unicorn", "deer", "dragon"]);

/** The hat of somebody who is painted at `spot`. */
export function paintWornHat(stage: Stage, wearer: Subject, spot: Spot, own: Colour): void {
  const head = HEADS[wearer];
  if (!head) return;
  const isMirrored = TURNED.has(wearer) && stage.sun.x > spot.x;
  const [x, y, width] = head;
  const scale = spot.tall / 100;
  const tall = width * scale;
  const aside = (x - 50) * scale * (isMirrored ? -1 : 1);
  paintHat(stage, { x: spot.x + aside, y: spot.y - (100 - y) * scale + tall * 0.16, tall }, own);
}
