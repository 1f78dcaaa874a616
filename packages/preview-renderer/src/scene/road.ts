import { colourOf, css, lighten, mix } from "../colour.js";
import { lit, type Stage } from "../stage.js";
import type { Line } from "./land.js";

/** A road on the ground: along the picture under a car, else from the viewer into the distance. */
export function paintRoad(stage: Stage, ground: Line): void {
  if (stage.scene.subjects.includes("car")) paintAlong(stage, ground);
  else paintAway(stage, ground);
}

function colours(stage: Stage) {
  const asphalt = lit(stage, colourOf("#5a5d66"), 0.97);
  return { asphalt, paint: mix(asphalt, colourOf("#f6f1e2"), 0.75), edge: lighten(asphalt, -0.08) };
}

function paintAlong(stage: Stage, ground: Line): void {
  const { ctx, width, unit } = stage;
  const { asphalt, paint, edge } = colours(stage);
  const band = (from: number, to: number, left: number, right: number): void => {
    ctx.beginPath();
    for (let x = left; x <= right; x += 6 * unit) ctx.lineTo(x, ground(x) + from * unit);
    for (let x = right; x >= left; x -= 6 * unit) ctx.lineTo(x, ground(x) + to * unit);
    ctx.fill();
  };
  ctx.fillStyle = css(edge);
  band(-24, 78, -8, width + 8);
  ctx.fillStyle = css(asphalt);
  band(-19, 72, -8, width + 8);
  ctx.fillStyle = css(paint);
  for (let x = 0; x < width; x += unit * 110) band(30, 36, x, x + unit * 58);
}

function paintAway(stage: Stage, ground: Line): void {
  const { ctx, width, height, unit, sun } = stage;
  const { asphalt, paint, edge } = colours(stage);
  const far = width * (sun.x > width / 2 ? 0.6 : 0.4);
  const top = Math.min(ground(far) - unit * 4, height * 0.7);
  const middle = (t: number): number =>
    far + (width / 2 - far) * t + Math.sin(t * Math.PI) * width * 0.07 * (sun.x > width / 2 ? -1 : 1);
  const half = (t: number): number => unit * (7 + 250 * t ** 1.5);
  const strip = (from: number, to: number, left: number, right: number): void => {
    const steps = Array.from({ length: 25 }, (_, index) => from + ((to - from) * index) / 24);
    const y = (t: number): number => top + (height + 4 - top) * t;
    ctx.beginPath();
    for (const t of steps) ctx.lineTo(middle(t) + half(t) * left, y(t));
    for (const t of steps.toReversed()) ctx.lineTo(middle(t) + half(t) * right, y(t));
    ctx.fill();
  };
  ctx.fillStyle = css(edge);
  strip(0, 1, -1.07, 1.07);
  ctx.fillStyle = css(asphalt);
  strip(0, 1, -1, 1);
  ctx.fillStyle = css(paint);
  strip(0, 1, -0.93, -0.89);
  strip(0, 1, 0.89, 0.93);
  for (const from of [0.06, 0.16, 0.3, 0.48, 0.7, 0.93]) strip(from, from * 1.22 + 0.02, -0.03, 0.03);
}
