import { Path2D } from "@napi-rs/canvas";
import { type Colour, colourOf, css, lighten, mix } from "../colour.js";
import { radial, type Stage } from "../stage.js";
import { paintBee } from "./bee.js";
import { enter, figureColour, type Spot } from "./figures.js";

const LEAST = 0.75;
const PETAL = "M0 -15 C-5.4 -22 -4.6 -32 0 -38 C4.6 -32 5.4 -22 0 -15 Z";

/** A large sunflower with smaller ones behind it, and the bee of the prompt upon it. */
export function paintSunflowers(stage: Stage, spot: Spot, own: Colour | undefined): void {
  const { unit, random, scene } = stage;
  const field = random.fork("sunflowers");
  for (let index = 0; index < 9; index++) {
    const tall = spot.tall * field.between(0.34, 0.62);
    const x = (index + field.next()) * (stage.width / 9);
    paintSunflower(stage, { x, y: spot.y + unit * field.between(0, 40), tall }, own);
  }
  paintSunflower(stage, spot, own);
  if (scene.subjects.includes("bee")) {
    const tall = spot.tall * 0.34;
    paintBee(stage, { x: spot.x + spot.tall * 0.06, y: spot.y - spot.tall * 0.63, tall });
  }
}

function paintSunflower(stage: Stage, spot: Spot, own: Colour | undefined): void {
  const { ctx } = stage;
  const yellow = figureColour(stage, own ?? colourOf("#f5bd27"), LEAST);
  const green = figureColour(stage, colourOf("#4c8a3f"), LEAST);
  const brown = figureColour(stage, colourOf("#4a2c17"), LEAST);
  enter(stage, spot);
  ctx.strokeStyle = css(lighten(green, -0.05));
  ctx.lineWidth = 3.4;
  ctx.stroke(new Path2D("M50 36 C53 60 48 80 50 108"));
  ctx.fillStyle = css(green);
  ctx.fill(
    new Path2D(
      "M50 88 C58 70 74 64 84 66 C82 78 68 88 50 88 Z M50 80 C42 64 28 60 18 62 C22 74 34 82 50 80 Z",
    ),
  );
  ctx.translate(50, 36);
  const petal = new Path2D(PETAL);
  for (const [count, scale, shade] of [
    [17, 1, -0.06],
    [17, 0.9, 0.03],
  ] as const) {
    ctx.fillStyle = css(lighten(yellow, shade));
    for (let index = 0; index < count; index++) {
      ctx.save();
      ctx.rotate(((index + (scale < 1 ? 0.5 : 0)) * Math.PI * 2) / count);
      ctx.scale(scale, scale);
      ctx.fill(petal);
      ctx.restore();
    }
  }
  ctx.fillStyle = radial(ctx, -3, -4, 19, [
    [0, css(lighten(brown, 0.14))],
    [0.6, css(brown)],
    [1, css(mix(brown, yellow, 0.25))],
  ]);
  ctx.beginPath();
  ctx.arc(0, 0, 17.6, 0, Math.PI * 2);
  ctx.fill();
  ctx.fillStyle = css(mix(brown, yellow, 0.45), 0.8);
  // Seeds in the spiral of a real one.
  for (let index = 2; index < 90; index++) {
    const [angle, radius] = [index * 2.39996, 1.75 * Math.sqrt(index)];
    ctx.fillRect(Math.cos(angle) * radius - 0.4, Math.sin(angle) * radius - 0.4, 0.8, 0.8);
  }
  ctx.restore();
}
