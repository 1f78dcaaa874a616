import { Path2D } from "@napi-rs/canvas";
import { colourOf, css, lighten, mix } from "../colour.js";
import type { Stage } from "../stage.js";
import { enter, type Spot } from "./figures.js";
import type { Line } from "./land.js";

const TURN = 0.38;

/** A kite of four panels with a tail of bows, on a line that leads to the ground. */
export function paintKite(stage: Stage, spot: Spot, _own: unknown, ground: Line): void {
  const { ctx, palette, width, unit, sun } = stage;
  const side = spot.x > width / 2 ? -1 : 1;
  const centre = { x: spot.x, y: spot.y - spot.tall / 2 };
  const away = stage.scene.subjects[0] === "person" ? (sun.x > width / 2 ? -0.11 : 0.15) : 0;
  const x = width * (0.5 + away);
  const hand = { x, y: ground(x) - unit * (away === 0 ? 0 : 104) };
  ctx.strokeStyle = css(mix(palette.light, palette.near, 0.35), 0.8);
  ctx.lineWidth = Math.max(1, unit * 1.6);
  ctx.beginPath();
  ctx.moveTo(centre.x, centre.y);
  ctx.quadraticCurveTo((centre.x + hand.x) / 2, hand.y - (hand.y - centre.y) * 0.2, hand.x, hand.y);
  ctx.stroke();
  ctx.save();
  ctx.translate(centre.x, centre.y);
  ctx.rotate(side * -TURN);
  ctx.translate(-centre.x, -centre.y);
  enter(stage, spot);
  const red = stage.scene.colours[0] ?? colourOf("#e0453f");
  const panels = [
    ["M50 0 L50 36 L22 36 Z", red],
    ["M50 0 L78 36 L50 36 Z", colourOf("#f4b93c")],
    ["M22 36 L50 36 L50 84 Z", colourOf("#2f86c8")],
    ["M50 36 L78 36 L50 84 Z", lighten(red, -0.08)],
  ] as const;
  for (const [path, colour] of panels) {
    ctx.fillStyle = css(mix(colour, palette.near, (1 - palette.ambient) * 0.3));
    ctx.fill(new Path2D(path));
  }
  ctx.strokeStyle = css(colourOf("#3a2c26"), 0.7);
  ctx.lineWidth = 1.2;
  ctx.stroke(new Path2D("M50 0 V84 M22 36 H78"));
  ctx.strokeStyle = css(palette.near, 0.7);
  ctx.lineWidth = 0.9;
  ctx.stroke(new Path2D("M50 84 C60 96 40 108 50 120 C60 132 42 142 52 154"));
  for (const [index, [x, y]] of (
    [
      [54.6, 95],
      [46, 109],
      [54.6, 127],
      [47.6, 143],
    ] as const
  ).entries()) {
    ctx.fillStyle = css(index % 2 === 0 ? red : colourOf("#f4b93c"));
    ctx.fill(new Path2D(`M${x} ${y} l-6.5 -3.4 v6.8 Z M${x} ${y} l6.5 -3.4 v6.8 Z`));
  }
  ctx.restore();
  ctx.restore();
}
