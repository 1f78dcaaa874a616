import type { SKRSContext2D } from "@napi-rs/canvas";
import type { LayerMotion } from "../stage.js";
import type { Moment } from "./film.js";
import type { Layer } from "./layers.js";

/** A layer on its way into the picture. Lengths in pixels of the picture. */
export interface Placed {
  layer: Layer;
  /** The box that the layer fills where the camera stands now. */
  x: number;
  y: number;
  width: number;
  height: number;
  /** The measure of all things: the side of a square as large as the picture, divided by 1024. */
  unit: number;
  /** Tells layers of one motion apart; from 0 to 1. */
  phase: number;
}

type Motion = (ctx: SKRSContext2D, placed: Placed, moment: Moment) => void;

/** Paints a layer as its motion has it at this moment. */
export function paintMoving(ctx: SKRSContext2D, placed: Placed, moment: Moment): void {
  MOTIONS[placed.layer.motion](ctx, placed, moment);
}

const still: Motion = (ctx, { layer, x, y, width, height }) => {
  ctx.drawImage(layer.canvas, x, y, width, height);
};

/** Clouds go across the picture by a part of what the stage is wider than it. */
const drift: Motion = (ctx, placed, { share }) => {
  const way = (placed.phase < 0.5 ? 1 : -1) * 54 * placed.unit;
  still(ctx, { ...placed, x: placed.x + (share - 0.5) * 2 * way }, { share, seconds: 0 });
};

/** Rows swing sideways and up and down, faster and wider the nearer they are. */
const waves: Motion = (ctx, { layer, x, y, width, height, unit, phase }, { seconds }) => {
  const { canvas } = layer;
  const bottom = Math.min(y + height, ctx.canvas.height);
  for (let row = Math.floor(y); row < bottom; ) {
    const t = Math.max(0, (row - y) / height);
    const tall = Math.max(2, Math.round(unit * (1.6 + 9 * t)));
    const far = Math.sqrt(t);
    const swing = unit * (0.5 + 9 * t);
    const aside =
      Math.sin(seconds * 1.9 - far * 46 + phase * 9) * swing * 0.6 +
      Math.sin(seconds * 1.1 + far * 21 + phase * 5) * swing * 0.7;
    const lift = Math.sin(seconds * 2.3 - far * 30) * (0.0012 + 0.011 * t);
    const from = Math.min(1, Math.max(0, t + lift)) * canvas.height;
    const part = Math.max(1, Math.min((tall / height) * canvas.height, canvas.height - from));
    ctx.drawImage(
      canvas,
      0,
      Math.min(from, canvas.height - 1),
      canvas.width,
      part,
      x + aside,
      row,
      width,
      tall,
    );
    row += tall;
  }
};

/** Columns swing up and down, as silk and northern lights do. */
const curtain: Motion = (ctx, { layer, x, y, width, height, unit, phase }, { seconds }) => {
  const { canvas } = layer;
  const wide = Math.max(2, Math.round(unit * 7));
  const right = Math.min(x + width, ctx.canvas.width);
  for (let column = Math.max(0, Math.floor(x)); column < right; column += wide) {
    const t = (column - x) / width;
    const lift =
      Math.sin(seconds * 1.3 + t * 9 + phase * 20) * unit * 13 + Math.sin(seconds * 0.8 - t * 17) * unit * 7;
    const from = Math.max(0, t) * canvas.width;
    const part = Math.min((wide / width) * canvas.width, canvas.width - from);
    if (part > 0) ctx.drawImage(canvas, from, 0, part, canvas.height, column, y + lift, wide, height);
  }
};

/** Seconds between two flashes, and how long one lasts. */
const FLASH_GAP_SEC = 2.6;
const FLASH_SEC = 0.42;

const flash: Motion = (ctx, placed, moment) => {
  const since = (moment.seconds + placed.phase * 1.5) % FLASH_GAP_SEC;
  if (since > FLASH_SEC) return;
  ctx.save();
  // Lightning strikes twice within one flash.
  ctx.globalAlpha = since < 0.09 ? 1 : since < 0.17 ? 0.25 : 1 - since / FLASH_SEC;
  still(ctx, placed, moment);
  ctx.restore();
};

const glide: Motion = (ctx, placed, moment) => {
  const { unit, phase } = placed;
  const way = (phase < 0.5 ? 1 : -1) * 26 * unit * moment.seconds;
  const lift = Math.sin(moment.seconds * 1.4 + phase * 6) * 6 * unit;
  still(ctx, { ...placed, x: placed.x + way, y: placed.y - lift }, moment);
};

/** Rises and sinks, and rocks a little about its middle. */
const float: Motion = (ctx, placed, moment) => {
  const { x, y, width, height, unit, phase } = placed;
  const { seconds } = moment;
  ctx.save();
  ctx.translate(
    x + width / 2 + Math.sin(seconds * 0.7 + phase * 6) * unit * 5,
    y + height / 2 + Math.sin(seconds * 1.25 + phase * 9) * unit * 9,
  );
  ctx.rotate(Math.sin(seconds * 0.95 + phase * 7) * 0.022);
  still(ctx, { ...placed, x: -width / 2, y: -height / 2 }, moment);
  ctx.restore();
};

const MOTIONS: Readonly<Record<LayerMotion, Motion>> = { still, drift, waves, curtain, flash, glide, float };
