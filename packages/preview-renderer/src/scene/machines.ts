import { Path2D } from "@napi-rs/canvas";
import { type Colour, colourOf, css, lighten, mix } from "../colour.js";
import { radial, type Stage, vertical } from "../stage.js";
import { enter, figureColour, type Spot } from "./figures.js";

/** A glowing spot in the box of the caller. */
function glow({ ctx }: Stage, x: number, y: number, reach: number, hex: string, alpha: number): void {
  ctx.save();
  ctx.globalCompositeOperation = "screen";
  ctx.fillStyle = radial(ctx, x, y, reach, [
    [0, css(colourOf(hex), alpha)],
    [1, css(colourOf(hex), 0)],
  ]);
  ctx.fillRect(x - reach, y - reach, reach * 2, reach * 2);
  ctx.restore();
}

/** A friendly robot with shining eyes. */
export function paintRobot(stage: Stage, spot: Spot): void {
  const { ctx, palette } = stage;
  const steel = figureColour(stage, mix(colourOf("#b9c6d6"), palette.accent, 0.12));
  enter(stage, spot);
  const shell = ctx.createLinearGradient(20, 10, 80, 90);
  shell.addColorStop(0, css(lighten(steel, 0.14)));
  shell.addColorStop(1, css(lighten(steel, -0.08)));
  ctx.strokeStyle = css(lighten(steel, -0.08));
  ctx.lineWidth = 7;
  ctx.lineCap = "round";
  ctx.stroke(new Path2D("M29 52 C20 57 19 66 21 74 M71 52 C80 57 81 66 79 74 M42 80 L41 96 M58 80 L59 96"));
  ctx.fillStyle = shell;
  ctx.beginPath();
  ctx.roundRect(28, 46, 44, 38, 11);
  ctx.roundRect(25, 13, 50, 31, 13);
  ctx.roundRect(35, 94, 12, 6, 3);
  ctx.roundRect(53, 94, 12, 6, 3);
  ctx.fill();
  ctx.fillStyle = css(palette.near, 0.9);
  ctx.beginPath();
  ctx.roundRect(31, 20, 38, 17, 8.5);
  ctx.fill();
  ctx.fillRect(49.2, 4, 1.6, 10);
  for (const x of [41, 59]) {
    glow(stage, x, 28.5, 13, "#6ff2ff", 0.75);
    ctx.fillStyle = "#c9fbff";
    ctx.beginPath();
    ctx.arc(x, 28.5, 3.6, 0, Math.PI * 2);
    ctx.fill();
  }
  glow(stage, 50, 4, 10, "#ffb35c", 0.9);
  glow(stage, 50, 62, 15, "#ffb35c", 0.7);
  ctx.fillStyle = "#ffdca6";
  ctx.beginPath();
  ctx.arc(50, 62, 4.2, 0, Math.PI * 2);
  ctx.arc(50, 4, 2, 0, Math.PI * 2);
  ctx.fill();
  ctx.restore();
}

/** A rocket on its flame. */
export function paintRocket(stage: Stage, spot: Spot): void {
  const { ctx, palette } = stage;
  ctx.save();
  ctx.translate(spot.x, spot.y - spot.tall / 2);
  ctx.rotate(0.42);
  ctx.translate(-spot.x, -spot.y + spot.tall / 2);
  enter(stage, spot);
  glow(stage, 50, 96, 60, "#ff9c4a", 0.6);
  ctx.fillStyle = vertical(ctx, 76, 150, [
    [0, "rgba(255,250,220,0.98)"],
    [0.3, "rgba(255,190,90,0.85)"],
    [1, "rgba(255,110,60,0)"],
  ]);
  ctx.fill(new Path2D("M42 76 C36 104 46 124 50 150 C54 124 64 104 58 76 Z"));
  const white = mix(colourOf("#f2f0f4"), palette.mid, 0.16);
  const hull = ctx.createLinearGradient(35, 0, 65, 0);
  hull.addColorStop(0, css(white));
  hull.addColorStop(1, css(mix(white, palette.near, 0.55)));
  const red = css(mix(colourOf("#e0524a"), palette.near, 0.12));
  ctx.fillStyle = red;
  ctx.fill(new Path2D("M37 54 L22 84 L38 76 Z M63 54 L78 84 L62 76 Z"));
  ctx.fillStyle = hull;
  ctx.fill(new Path2D("M50 0 C63 14 68 44 61 78 L39 78 C32 44 37 14 50 0 Z"));
  ctx.fillStyle = red;
  ctx.fill(
    new Path2D("M50 0 C56 6 60 14 62.4 23 L37.6 23 C40 14 44 6 50 0 Z M46 62 L54 62 L52.5 90 L47.5 90 Z"),
  );
  ctx.fillStyle = css(palette.near);
  ctx.beginPath();
  ctx.arc(50, 40, 7.6, 0, Math.PI * 2);
  ctx.fill();
  ctx.fillStyle = "#9fe4f5";
  ctx.beginPath();
  ctx.arc(50, 40, 5.4, 0, Math.PI * 2);
  ctx.fill();
  ctx.restore();
  ctx.restore();
}

/** A car from the side with its lights on. */
export function paintCar(stage: Stage, spot: Spot, own: Colour): void {
  const { ctx, palette } = stage;
  const paint = figureColour(stage, own);
  enter(stage, spot);
  const beam = ctx.createLinearGradient(96, 0, 176, 0);
  beam.addColorStop(0, "rgba(255,240,190,0.6)");
  beam.addColorStop(1, "rgba(255,240,190,0)");
  ctx.save();
  ctx.globalCompositeOperation = "screen";
  ctx.fillStyle = beam;
  ctx.fill(new Path2D("M97 80 L176 72 L176 102 L97 86 Z"));
  ctx.restore();
  ctx.fillStyle = vertical(ctx, 56, 98, [
    [0, css(lighten(mix(paint, palette.low, 0.25), 0.1))],
    [0.5, css(paint)],
    [1, css(lighten(paint, -0.1))],
  ]);
  ctx.fill(
    new Path2D("M3 92 C1 82 4 77 14 75 L24 73 C30 62 38 57 52 57 C66 57 74 62 80 73 C92 75 98 79 98 92 Z"),
  );
  ctx.fillStyle = css(mix(palette.near, palette.top, 0.4));
  ctx.fill(new Path2D("M29 73 C34 64 40 61 49 61 L49 73 Z M53 61 C64 61 70 65 75 73 L53 73 Z"));
  for (const x of [22, 78]) {
    ctx.fillStyle = css(palette.near);
    ctx.beginPath();
    ctx.arc(x, 92, 8.2, 0, Math.PI * 2);
    ctx.fill();
    ctx.fillStyle = css(mix(palette.haze, palette.near, 0.35));
    ctx.beginPath();
    ctx.arc(x, 92, 4, 0, Math.PI * 2);
    ctx.fill();
  }
  glow(stage, 97, 82, 14, "#fff0c0", 0.95);
  glow(stage, 3, 83, 10, "#ff5a4a", 0.95);
  ctx.restore();
}
