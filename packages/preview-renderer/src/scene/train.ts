import { Path2D } from "@napi-rs/canvas";
import { type Colour, colourOf, css, lighten, mix } from "../colour.js";
import { radial, type Stage, vertical } from "../stage.js";
import { figureColour, type Spot } from "./figures.js";

const LEAST = 0.62;
const CARS = 3;
const WINDOW = colourOf("#ffe0a0");

/** A train that comes in from the side on its rails: an engine with lights and lit carriages behind it. */
export function paintTrain(stage: Stage, spot: Spot, own: Colour): void {
  const { ctx, width, palette } = stage;
  const paint = figureColour(stage, own, LEAST);
  const iron = figureColour(stage, colourOf("#3a3d46"), LEAST);
  const scale = spot.tall / 100;
  const isMirrored = spot.x < width / 2;
  ctx.save();
  ctx.fillStyle = css(mix(iron, palette.near, 0.3));
  ctx.fillRect(0, spot.y - scale * 2.4, width, scale * 2.4);
  for (let x = 0; x < width; x += scale * 16) ctx.fillRect(x, spot.y, scale * 9, scale * 4);
  ctx.translate(isMirrored ? 0 : width, spot.y - scale * 2.4);
  ctx.scale(isMirrored ? scale : -scale, scale);
  // From here on the front of the train looks to the right, wherever it really looks.
  const front = (isMirrored ? spot.x : width - spot.x) / scale + 110;
  for (let car = 0; car < CARS; car++) paintCarriage(stage, front - 168 - car * 150, paint, iron);
  const coat = vertical(ctx, -78, -10, [
    [0, css(lighten(paint, 0.1))],
    [0.5, css(paint)],
    [1, css(lighten(paint, -0.1))],
  ]);
  ctx.translate(front - 160, 0);
  ctx.fillStyle = coat;
  ctx.fill(new Path2D("M0 -78 H96 C126 -76 152 -52 158 -26 C160 -16 156 -12 150 -12 H0 Z"));
  ctx.fillStyle = css(lighten(colourOf("#f3ede2"), -0.02));
  ctx.fill(new Path2D("M0 -34 H157 L158.4 -26 H0 Z"));
  ctx.fillStyle = css(mix(colourOf("#1d2a3d"), palette.top, 0.25));
  ctx.fill(new Path2D("M98 -70 C118 -67 134 -54 143 -42 H98 Z"));
  for (const x of [12, 40, 68]) paintPane(stage, x, -66, 18, 22);
  paintWheels(stage, [22, 44, 104, 126], iron);
  ctx.save();
  ctx.globalCompositeOperation = "screen";
  ctx.fillStyle = radial(ctx, 156, -20, 60, [
    [0, "rgba(255,240,200,0.95)"],
    [0.2, "rgba(255,226,160,0.5)"],
    [1, "rgba(255,220,150,0)"],
  ]);
  ctx.fillRect(96, -80, 120, 120);
  ctx.restore();
  ctx.restore();
}

function paintCarriage(stage: Stage, left: number, paint: Colour, iron: Colour): void {
  const { ctx } = stage;
  ctx.save();
  ctx.translate(left, 0);
  ctx.fillStyle = css(iron);
  ctx.fillRect(140, -24, 12, 8);
  ctx.fillStyle = vertical(ctx, -76, -10, [
    [0, css(lighten(paint, 0.08))],
    [1, css(lighten(paint, -0.08))],
  ]);
  ctx.beginPath();
  ctx.roundRect(0, -76, 144, 64, 7);
  ctx.fill();
  ctx.fillStyle = css(lighten(colourOf("#f3ede2"), -0.02));
  ctx.fillRect(0, -34, 144, 8);
  for (let x = 10; x < 130; x += 22) paintPane(stage, x, -66, 15, 22);
  paintWheels(stage, [18, 38, 106, 126], iron);
  ctx.restore();
}

function paintPane({ ctx }: Stage, x: number, y: number, wide: number, tall: number): void {
  ctx.fillStyle = css(WINDOW);
  ctx.beginPath();
  ctx.roundRect(x, y, wide, tall, 3);
  ctx.fill();
}

function paintWheels({ ctx }: Stage, places: readonly number[], iron: Colour): void {
  for (const x of places) {
    ctx.fillStyle = css(lighten(iron, -0.08));
    ctx.beginPath();
    ctx.arc(x, -8, 8.4, 0, Math.PI * 2);
    ctx.fill();
    ctx.fillStyle = css(lighten(iron, 0.16));
    ctx.beginPath();
    ctx.arc(x, -8, 3.4, 0, Math.PI * 2);
    ctx.fill();
  }
}
