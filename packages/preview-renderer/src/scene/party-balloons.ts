import { type Colour, colourOf, css, lighten, mix } from "../colour.js";
import { radial, type Stage } from "../stage.js";
import { enter, type Spot } from "./figures.js";

const COLOURS = ["#e5484d", "#f5b83d", "#3d8fe0", "#55b36a", "#e277b5", "#8a63d2", "#f28a3c"] as const;
/** The places of the balloons of the bunch; the ones behind come first. */
const PLACES = [
  [30, 22],
  [70, 20],
  [50, 10],
  [20, 40],
  [80, 40],
  [39, 36],
  [61, 37],
] as const;

/** A bunch of balloons on strings that meet in a bow. */
export function paintPartyBalloons(stage: Stage, spot: Spot, own: Colour | undefined): void {
  const { ctx, palette, random } = stage;
  const shift = random.fork("bunch").whole(0, COLOURS.length - 1);
  enter(stage, spot);
  ctx.strokeStyle = css(mix(colourOf("#f4efe8"), palette.near, 0.35), 0.8);
  ctx.lineWidth = 0.5;
  for (const [x, y] of PLACES) {
    ctx.beginPath();
    ctx.moveTo(x, y + 14);
    ctx.quadraticCurveTo(x + (50 - x) * 0.3, 66, 50, 88);
    ctx.stroke();
  }
  ctx.beginPath();
  ctx.moveTo(50, 88);
  ctx.bezierCurveTo(46, 96, 54, 100, 49, 110);
  ctx.stroke();
  for (const [index, [x, y]] of PLACES.entries()) {
    const named = index % 2 === 0 ? own : undefined;
    const plain = named ?? colourOf(COLOURS[(index + shift) % COLOURS.length] ?? COLOURS[0]);
    const colour = mix(plain, palette.near, (1 - palette.ambient) * 0.25);
    ctx.fillStyle = radial(ctx, x - 4, y - 6, 22, [
      [0, css(lighten(colour, 0.16))],
      [0.45, css(colour)],
      [1, css(lighten(colour, -0.14))],
    ]);
    ctx.beginPath();
    ctx.ellipse(x, y, 12.4, 14.8, 0, 0, Math.PI * 2);
    ctx.moveTo(x - 2, y + 17);
    ctx.lineTo(x, y + 14);
    ctx.lineTo(x + 2, y + 17);
    ctx.fill();
    ctx.fillStyle = "rgba(255,255,255,0.5)";
    ctx.beginPath();
    ctx.ellipse(x - 4.8, y - 6.4, 2.2, 3.8, 0.5, 0, Math.PI * 2);
    ctx.fill();
  }
  ctx.restore();
}
