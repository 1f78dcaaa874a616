import { Path2D } from "@napi-rs/canvas";
import { colourOf, css, lighten, mix } from "../colour.js";
import { radial, type Stage, vertical } from "../stage.js";
import { enter, figureColour, type Spot } from "./figures.js";

const BODY = "M38 56 C38 44 52 38 66 40 C80 42 92 50 95 58 C90 68 76 74 62 72 C48 70 38 66 38 56 Z";
const LEAST = 0.8;

/** A bee from the side, with striped body and clear wings. */
export function paintBee(stage: Stage, spot: Spot): void {
  const { ctx, palette } = stage;
  const amber = figureColour(stage, colourOf("#f0b02e"), LEAST);
  const dark = figureColour(stage, colourOf("#2b1c12"), LEAST);
  enter(stage, spot);
  ctx.strokeStyle = css(dark);
  ctx.lineWidth = 1.6;
  ctx.lineCap = "round";
  ctx.stroke(
    new Path2D(
      "M42 70 L38 82 M50 73 L48 86 M60 74 L61 86 M22 47 C17 42 14 38 9 38 M24 45 C21 38 20 34 15 31",
    ),
  );
  ctx.fillStyle = vertical(ctx, 38, 74, [
    [0, css(lighten(amber, 0.1))],
    [1, css(lighten(amber, -0.1))],
  ]);
  const body = new Path2D(BODY);
  ctx.fill(body);
  ctx.save();
  ctx.clip(body);
  ctx.fillStyle = css(dark);
  for (const x of [56, 68, 80])
    ctx.fill(
      new Path2D(
        `M${x} 34 C${x + 6} 48 ${x + 6} 64 ${x} 78 H${x + 6} C${x + 11} 64 ${x + 11} 48 ${x + 6} 34 Z`,
      ),
    );
  ctx.restore();
  ctx.fillStyle = css(dark);
  ctx.fill(new Path2D("M93 55 L101 59 L92 62 Z"));
  ctx.fillStyle = radial(ctx, 40, 50, 15, [
    [0, css(lighten(amber, 0.06))],
    [0.7, css(mix(amber, dark, 0.35))],
    [1, css(mix(amber, dark, 0.6))],
  ]);
  ctx.beginPath();
  ctx.arc(40, 56, 13, 0, Math.PI * 2);
  ctx.fill();
  ctx.fillStyle = css(dark);
  ctx.beginPath();
  ctx.arc(25, 53, 8.6, 0, Math.PI * 2);
  ctx.fill();
  ctx.fillStyle = css(palette.light, 0.85);
  ctx.beginPath();
  ctx.arc(22.6, 50.4, 1.9, 0, Math.PI * 2);
  ctx.fill();
  for (const wing of [
    "M46 46 C44 26 56 6 72 8 C80 10 76 30 52 47 Z",
    "M48 47 C58 30 78 18 90 24 C95 29 82 42 54 49 Z",
  ]) {
    ctx.fillStyle = css(mix(palette.light, colourOf("#eaf6ff"), 0.6), 0.62);
    ctx.fill(new Path2D(wing));
    ctx.strokeStyle = css(dark, 0.45);
    ctx.lineWidth = 0.7;
    ctx.stroke(new Path2D(wing));
  }
  ctx.restore();
}
