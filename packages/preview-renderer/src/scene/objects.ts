import { Path2D } from "@napi-rs/canvas";
import { type Colour, colourOf, css, lighten, mix } from "../colour.js";
import { radial, type Stage, vertical } from "../stage.js";
import { enter, figureColour, type Spot } from "./figures.js";

const WINDOW = colourOf("#ffd27a");

/** A lit rectangle with its glow, in the box of the caller. */
function paintWindow({ ctx }: Stage, x: number, y: number, wide: number, tall: number): void {
  ctx.save();
  ctx.globalCompositeOperation = "screen";
  const reach = tall * 2.6;
  ctx.fillStyle = radial(ctx, x + wide / 2, y + tall / 2, reach, [
    [0, css(WINDOW, 0.5)],
    [1, css(WINDOW, 0)],
  ]);
  ctx.fillRect(x - reach, y - reach, wide + reach * 2, tall + reach * 2);
  ctx.restore();
  ctx.fillStyle = css(lighten(WINDOW, 0.02));
  ctx.fillRect(x, y, wide, tall);
}

function walls(stage: Stage, own: Colour) {
  const colour = figureColour(stage, own);
  const toSun = stage.sun.x > stage.width / 2;
  const gradient = stage.ctx.createLinearGradient(10, 0, 90, 0);
  gradient.addColorStop(toSun ? 0 : 1, css(lighten(colour, -0.06)));
  gradient.addColorStop(toSun ? 1 : 0, css(lighten(mix(colour, stage.palette.low, 0.14), 0.05)));
  return gradient;
}

/** A cottage with warm windows and smoke. */
export function paintHouse(stage: Stage, spot: Spot): void {
  const { ctx, palette, scene } = stage;
  enter(stage, spot);
  ctx.fillStyle = css(palette.light, 0.09);
  for (let puff = 0; puff < 9; puff++) {
    ctx.beginPath();
    ctx.arc(71 + puff * 2.4 + Math.sin(puff) * 2, 20 - puff * 7, 3 + puff * 1.5, 0, 7);
    ctx.fill();
  }
  ctx.fillStyle = walls(stage, colourOf("#a5644f"));
  ctx.fillRect(66, 24, 8, 24);
  ctx.fillStyle = walls(stage, colourOf("#e3cfb4"));
  ctx.fillRect(18, 56, 64, 46);
  ctx.fill(new Path2D("M18 57 L50 26 L82 57 Z"));
  const roof = scene.season === "winter" ? colourOf("#f1f5fa") : colourOf("#8c4a3c");
  ctx.fillStyle = walls(stage, roof);
  ctx.fill(new Path2D("M8 60 L50 18 L92 60 L86 64 L50 29 L14 64 Z"));
  paintWindow(stage, 26, 67, 13, 14);
  paintWindow(stage, 61, 67, 13, 14);
  paintWindow(stage, 46, 42, 8, 9);
  ctx.fillStyle = css(mix(figureColour(stage, colourOf("#5b3527")), palette.near, 0.3));
  ctx.fillRect(44, 74, 12, 28);
  ctx.strokeStyle = css(palette.near, 0.7);
  ctx.lineWidth = 1;
  for (const x of [26, 61]) {
    ctx.strokeRect(x, 67, 13, 14);
    ctx.strokeRect(x + 6.5, 67, 0.01, 14);
  }
  ctx.restore();
}

/** A castle with towers and flags. */
export function paintCastle(stage: Stage, spot: Spot): void {
  const { ctx, palette } = stage;
  const stone = colourOf("#a9a3b5");
  const slate = css(figureColour(stage, mix(colourOf("#4b5a86"), palette.accent, 0.15)));
  enter(stage, spot);
  for (const [x, wide, top] of [
    [8, 13, 46],
    [79, 13, 50],
    [28, 15, 32],
    [57, 14, 38],
    [41, 18, 18],
  ] as const) {
    ctx.fillStyle = walls(stage, stone);
    ctx.fillRect(x, top, wide, 102 - top);
    ctx.fillRect(x - 1.4, top, wide + 2.8, 3.4);
    ctx.fillStyle = slate;
    ctx.beginPath();
    ctx.moveTo(x - 2.2, top);
    ctx.lineTo(x + wide / 2, top - wide * 1.45);
    ctx.lineTo(x + wide + 2.2, top);
    ctx.fill();
    ctx.fillStyle = css(mix(palette.accent, palette.near, 0.1));
    ctx.beginPath();
    ctx.moveTo(x + wide / 2, top - wide * 1.45 - 6);
    ctx.lineTo(x + wide / 2 + 7, top - wide * 1.45 - 3.6);
    ctx.lineTo(x + wide / 2, top - wide * 1.45 - 1.2);
    ctx.fill();
    paintWindow(stage, x + wide / 2 - 1.3, top + 9, 2.6, 5);
    paintWindow(stage, x + wide / 2 - 1.3, top + 24, 2.6, 5);
  }
  ctx.fillStyle = walls(stage, stone);
  ctx.fillRect(14, 72, 72, 30);
  for (let x = 14; x < 86; x += 6) ctx.fillRect(x, 68.5, 3.6, 4);
  paintWindow(stage, 45, 84, 10, 18);
  ctx.restore();
}

/** A lighthouse with its beam. */
export function paintLighthouse(stage: Stage, spot: Spot): void {
  const { ctx, palette, scene } = stage;
  enter(stage, spot);
  if (scene.time !== "day") {
    ctx.save();
    ctx.globalCompositeOperation = "screen";
    for (const side of [-1, 1]) {
      const beam = ctx.createLinearGradient(50, 0, 50 + side * 190, 0);
      beam.addColorStop(0, css(WINDOW, 0.6));
      beam.addColorStop(1, css(WINDOW, 0));
      ctx.fillStyle = beam;
      ctx.beginPath();
      ctx.moveTo(50, 11);
      ctx.lineTo(50 + side * 190, -14);
      ctx.lineTo(50 + side * 190, 34);
      ctx.fill();
    }
    ctx.restore();
  }
  ctx.fillStyle = walls(stage, colourOf("#f2ece2"));
  ctx.fill(new Path2D("M37 102 L42.5 18 L57.5 18 L63 102 Z"));
  ctx.save();
  ctx.clip(new Path2D("M37 102 L42.5 18 L57.5 18 L63 102 Z"));
  ctx.fillStyle = css(figureColour(stage, colourOf("#c8403c")), 0.92);
  for (const y of [24, 50, 76]) ctx.fillRect(30, y, 40, 13);
  ctx.restore();
  ctx.fillStyle = css(palette.near);
  ctx.fillRect(40, 15.5, 20, 3);
  ctx.fill(new Path2D("M43 7 L50 0 L57 7 Z"));
  paintWindow(stage, 45, 7, 10, 8.5);
  ctx.restore();
}

/** A boat under sail; `y` of the spot is its water line. */
export function paintBoat(stage: Stage, spot: Spot): void {
  const { ctx, palette } = stage;
  const sail = mix(palette.light, palette.low, 0.25);
  enter(stage, { ...spot, y: spot.y + spot.tall * 0.03 });
  const main = ctx.createLinearGradient(46, 0, 82, 0);
  main.addColorStop(0, css(mix(sail, palette.near, 0.12)));
  main.addColorStop(1, css(mix(sail, palette.accent, 0.3)));
  ctx.fillStyle = main;
  ctx.fill(new Path2D("M50 4 C68 26 80 54 81 77 L50 79 Z"));
  ctx.fillStyle = css(mix(sail, palette.near, 0.3));
  ctx.fill(new Path2D("M46 12 C40 40 28 62 17 78 L46 79 Z"));
  ctx.fillStyle = css(palette.near);
  ctx.fillRect(47.2, 2, 1.6, 82);
  ctx.fillStyle = vertical(ctx, 82, 100, [
    [0, css(mix(palette.near, colourOf("#9a4b36"), palette.ambient * 0.7 + 0.2))],
    [1, css(palette.near)],
  ]);
  ctx.fill(new Path2D("M8 83 L92 82 C89 91 84 97 76 100 L26 100 C17 97 11 91 8 83 Z"));
  ctx.restore();
}

/** A hot-air balloon; the spot is the foot of its basket. */
export function paintBalloon(stage: Stage, spot: Spot, own: Colour): void {
  const { ctx, palette } = stage;
  const colours = [own, mix(own, palette.light, 0.7), mix(own, palette.mid, 0.5)];
  enter(stage, spot);
  const envelope = new Path2D(
    "M50 0 C76 0 90 18 88 38 C86 56 64 70 57 82 L43 82 C36 70 14 56 12 38 C10 18 24 0 50 0 Z",
  );
  ctx.save();
  ctx.clip(envelope);
  for (const [index, half] of [40, 27, 15, 5].entries()) {
    ctx.fillStyle = css(mix(colours[index % 3] ?? own, palette.near, (1 - palette.ambient) * 0.25));
    ctx.beginPath();
    ctx.ellipse(50, 38, half, 50, 0, 0, Math.PI * 2);
    ctx.fill();
  }
  const toSun = stage.sun.x > spot.x ? 1 : -1;
  const shade = ctx.createLinearGradient(50 + toSun * 40, 0, 50 - toSun * 40, 30);
  shade.addColorStop(0, css(palette.light, 0.42));
  shade.addColorStop(0.4, css(palette.light, 0));
  shade.addColorStop(1, css(palette.near, 0.62));
  ctx.fillStyle = shade;
  ctx.fillRect(0, 0, 100, 100);
  ctx.restore();
  ctx.strokeStyle = css(palette.near, 0.8);
  ctx.lineWidth = 0.7;
  for (const x of [44, 56]) {
    ctx.beginPath();
    ctx.moveTo(x, 82);
    ctx.lineTo(x < 50 ? 46 : 54, 92);
    ctx.stroke();
  }
  ctx.fillStyle = css(mix(palette.near, colourOf("#7a4f2f"), 0.4));
  ctx.fillRect(45.4, 91, 9.2, 8.6);
  ctx.restore();
}
