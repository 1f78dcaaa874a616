import { Path2D } from "@napi-rs/canvas";
import { type Colour, colourOf, css, lighten } from "../colour.js";
import { radial, type Stage } from "../stage.js";
import { enter } from "./figures.js";

const FLAMES = [
  ["#e8532a", "M33 88 C28 70 38 66 38 52 C46 60 46 64 50 46 C58 58 58 64 63 54 C64 66 72 72 67 88 Z"],
  ["#f79a35", "M38 88 C34 76 41 72 43 62 C47 68 49 68 51 58 C56 66 57 70 60 66 C61 74 66 78 62 88 Z"],
  ["#ffe08a", "M43 88 C41 80 46 78 48 71 C50 75 52 75 53 70 C57 76 59 80 57 88 Z"],
] as const;

/**
 * A fireplace of brick with a burning fire and a shelf above it.
 * @param shaded gives a colour in the light of the room
 */
export function paintFireplace(
  stage: Stage,
  x: number,
  y: number,
  tall: number,
  shaded: (own: Colour) => Colour,
): void {
  const { ctx, random } = stage;
  const own = random.fork("hearth");
  const brick = shaded(colourOf("#a85f48"));
  enter(stage, { x, y, tall });
  ctx.fillStyle = css(lighten(brick, -0.05));
  ctx.fillRect(22, -60, 56, 100);
  ctx.fillStyle = css(lighten(brick, -0.12));
  ctx.fillRect(6, 30, 88, 70);
  for (let row = 0; row < 9; row++) {
    for (let column = -1; column < 7; column++) {
      const [left, top] = [6 + column * 14 + (row % 2) * 7, 34 + row * 7.4];
      const [start, end] = [Math.max(6.8, left), Math.min(93.2, left + 13)];
      if (end <= start) continue;
      ctx.fillStyle = css(lighten(brick, own.between(-0.03, 0.05)));
      ctx.fillRect(start, top, end - start, 6.4);
    }
  }
  const opening = new Path2D("M26 100 V62 C26 44 74 44 74 62 V100 Z");
  ctx.fillStyle = "#17100e";
  ctx.fill(opening);
  ctx.save();
  ctx.clip(opening);
  ctx.fillStyle = radial(ctx, 50, 86, 42, [
    [0, "rgba(255,150,60,0.9)"],
    [0.5, "rgba(200,70,30,0.5)"],
    [1, "rgba(120,30,10,0)"],
  ]);
  ctx.fillRect(0, 40, 100, 60);
  ctx.strokeStyle = "#4a2a1a";
  ctx.lineWidth = 6;
  ctx.lineCap = "round";
  ctx.stroke(new Path2D("M34 93 L66 89 M35 88 L65 93.6"));
  for (const [colour, flame] of FLAMES) {
    ctx.fillStyle = colour;
    ctx.fill(new Path2D(flame));
  }
  ctx.restore();
  const wood = shaded(colourOf("#7a4f33"));
  ctx.fillStyle = css(wood);
  ctx.fillRect(0, 24, 100, 7);
  ctx.fillStyle = css(lighten(wood, 0.08));
  ctx.fillRect(0, 24, 100, 1.8);
  ctx.fillStyle = css(shaded(colourOf("#8d8a86")));
  ctx.fillRect(0, 98, 100, 5);
  ctx.save();
  ctx.globalCompositeOperation = "screen";
  ctx.fillStyle = radial(ctx, 50, 84, 130, [
    [0, "rgba(255,150,70,0.5)"],
    [0.4, "rgba(255,130,60,0.18)"],
    [1, "rgba(255,120,50,0)"],
  ]);
  ctx.fillRect(-80, -46, 260, 260);
  ctx.restore();
  ctx.restore();
}
