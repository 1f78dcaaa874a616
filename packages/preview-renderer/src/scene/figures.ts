import { Path2D } from "@napi-rs/canvas";
import { type Colour, colourOf, css, lighten, mix } from "../colour.js";
import { beginLayer, radial, type Stage, vertical } from "../stage.js";

/** A box of 100 × 100 whose lower middle (50, 100) is put at `x`, `y`. Lengths in pixels. */
export interface Spot {
  x: number;
  y: number;
  tall: number;
}

/** Closed outlines in the box of 100 × 100. */
const OUTLINES = {
  cat: "M33 100 C26 84 33 66 42 54 C36 48 34 40 35 32 L35.5 15 C38 17 42 21 45 24.5 C48 23.4 53 23.4 56 24.5 C59 21 63 17 65.5 15 L66 32 C67 40 65 48 59 54 C68 66 74 84 68 100 Z",
  dog: "M31 100 C34 90 33 80 33 72 C32 62 34 54 37 48 C31 48.5 23 46.5 17 43.5 C13.5 41 14 36.5 18 35 C25 32.5 29 27 34 22.5 C40 17 50 17.5 55 23 C61 30 58 37 57.5 45 C70 56 80 74 78 91 C85 92 92 86 93.5 77 C97.5 86 92 98 80 100 Z",
  fox: "M33 100 C33.5 94 35.5 88 35.5 80 C35.5 69 36 60 41 53.5 C33 54 24 52.5 13 49.5 C10.5 48.2 10.8 45.4 13.5 44.4 C21 41.5 26 36.5 31 31.5 L31.5 12.5 C37 16 41.5 21 44 26.5 L49.5 13.5 C53 19 55 25.5 55 32 C58 38 58 44 57 48.5 C68 56 76 68 77 82 C78 90 76 96 71 100 Z",
  brush: "M64 99 C80 102 96 94 98 77 C99 64 94 54 87 49 C88 59 84 67 78 74 C72 81 66 87 64 99 Z",
  whale:
    "M4 66 C10 44 34 34 58 42 C72 47 80 58 86 62 C90 56 92 50 99 47 C99 55 97 60 93 65 C97 70 98 75 97 82 C90 79 86 74 83 69 C72 80 50 88 30 84 C16 81 6 75 4 66 Z",
  bird: "M2 40 C14 30 30 34 44 50 C46 46 54 44 58 48 C66 30 84 24 98 30 C86 34 76 44 68 58 C62 68 48 68 42 58 C32 46 18 40 2 40 Z",
  heart:
    "M50 96 C20 70 6 52 6 33 C6 16 18 8 29 8 C39 8 47 14 50 23 C53 14 61 8 71 8 C82 8 94 16 94 33 C94 52 80 70 50 96 Z",
  wing: "M50 52 C46 30 28 12 10 14 C2 16 4 34 14 46 C20 53 32 55 44 55 C30 56 18 66 20 80 C22 92 40 86 50 60 Z",
} as const;

type Outline = keyof typeof OUTLINES;

/** Leaves the canvas in the box of a spot; the caller restores it. */
export function enter({ ctx }: Stage, { x, y, tall }: Spot, isMirrored = false): void {
  ctx.save();
  ctx.translate(x, y);
  ctx.scale((isMirrored ? -tall : tall) / 100, tall / 100);
  ctx.translate(-50, -100);
}

/** One of the outlines, as `paintShape` paints it. */
export function paintFigure(
  stage: Stage,
  outline: Outline,
  spot: Spot,
  own: Colour,
  isMirrored = false,
): void {
  paintShape(stage, new Path2D(OUTLINES[outline]), spot, own, isMirrored);
}

/**
 * A shape of the box in one dark colour with a soft light on the side of the sun.
 * @param least how much of its own colour is seen at least, 0 to 1
 */
export function paintShape(
  stage: Stage,
  path: Path2D,
  spot: Spot,
  own: Colour,
  isMirrored = false,
  least?: number,
): void {
  const { ctx, palette, sun } = stage;
  const body = figureColour(stage, own, least);
  enter(stage, spot, isMirrored);
  ctx.fillStyle = vertical(ctx, 10, 100, [
    [0, css(lighten(body, 0.05))],
    [1, css(lighten(body, -0.04))],
  ]);
  ctx.fill(path);
  ctx.clip(path);
  const toSun = (sun.x > spot.x ? 1 : -1) * (isMirrored ? -1 : 1);
  const rim = mix(palette.light, palette.low, 0.35);
  const light = ctx.createLinearGradient(50 - toSun * 34, 0, 50 + toSun * 34, 0);
  light.addColorStop(0, css(rim, 0.05));
  light.addColorStop(0.5, css(rim, 0.22));
  light.addColorStop(0.8, css(rim, 1));
  ctx.strokeStyle = light;
  // Half of each line lies outside of the clip; two of them make an edge with a soft inside.
  for (const [thick, alpha] of [
    [7, 0.16],
    [2.4, 0.75],
  ] as const) {
    ctx.lineWidth = thick;
    ctx.globalAlpha = alpha;
    ctx.stroke(path);
  }
  ctx.restore();
}

/** The colour of a thing in front: its own by day, nearly a silhouette against the light. */
export function figureColour({ palette, scene }: Stage, own: Colour, least = 0): Colour {
  const named = scene.colours.length > 0 ? 0.52 : 0.24;
  return mix(palette.near, own, Math.max(palette.ambient * 0.75, named, least));
}

/** A cat seen from behind, with a tail that curls up. */
export function paintCat(stage: Stage, spot: Spot, own: Colour): void {
  const { ctx } = stage;
  enter(stage, spot);
  ctx.strokeStyle = css(figureColour(stage, own));
  ctx.lineWidth = 6.4;
  ctx.lineCap = "round";
  ctx.beginPath();
  ctx.moveTo(62, 96);
  ctx.bezierCurveTo(84, 101, 93, 88, 88, 74);
  ctx.bezierCurveTo(85, 65, 90, 59, 96, 63);
  ctx.stroke();
  ctx.restore();
  paintFigure(stage, "cat", spot, own);
}

/** A sitting fox with a bushy tail: white on the cheek, the breast and the tip of the tail, dark at ears and feet. */
export function paintFox(stage: Stage, spot: Spot, own: Colour): void {
  const { ctx } = stage;
  const isMirrored = stage.sun.x > spot.x;
  const fur = mix(colourOf("#c9642b"), own, 0.2);
  paintFigure(stage, "brush", spot, fur, isMirrored);
  paintFigure(stage, "fox", spot, fur, isMirrored);
  enter(stage, spot, isMirrored);
  ctx.fillStyle = css(figureColour(stage, colourOf("#f4ece2")), 0.92);
  const white = [
    "M14 48.6 C23 51.8 33 53.8 41 53.5 C45 60 44 70 39.5 80 C36.5 73 35.6 66 36.6 60.5 C30 57.5 21 54 14 48.6 Z",
    "M87 49 C94 54 98.6 62 98.2 72 C95 67 92.5 69.5 90.5 65.5 C88.5 68 86.4 66.4 84.6 64.6 C86.6 60 87.5 55 87 49 Z",
  ];
  for (const patch of white) ctx.fill(new Path2D(patch));
  ctx.fillStyle = css(figureColour(stage, colourOf("#2a1c18")));
  const dark = [
    "M31.5 12.5 C34 14 36.4 16 38.3 18.2 L31.3 20.5 Z",
    "M49.5 13.5 C51 16 52.2 18.4 53 20.8 L46.6 20.3 Z",
    "M33 100 C33.3 96 34.4 92 35 88 L43 88 C43.5 93 43.4 97 43 100 Z",
    "M10.9 47.2 C10.9 45.6 12 44.8 13.5 44.4 L15.6 43.4 C16.4 45 15 47.8 12.4 48.9 C11.5 48.5 11 47.9 10.9 47.2 Z",
    "M31.6 38.6 C33 36.8 35.4 36.6 36.8 38 C35.6 39.6 33.2 39.9 31.6 38.6 Z",
  ];
  for (const patch of dark) ctx.fill(new Path2D(patch));
  ctx.restore();
}

/** A whale's back above the water, with its spout; `y` of the spot is its water line. */
export function paintWhale(stage: Stage, spot: Spot, own: Colour): void {
  const { ctx, palette, width } = stage;
  ctx.save();
  ctx.beginPath();
  ctx.rect(0, 0, width, spot.y);
  ctx.clip();
  paintFigure(stage, "whale", { ...spot, y: spot.y + spot.tall * 0.34 }, own);
  ctx.restore();
  enter(stage, spot);
  ctx.strokeStyle = css(palette.light, 0.6);
  ctx.lineCap = "round";
  for (const side of [-1, -0.4, 0.4, 1]) {
    ctx.lineWidth = 1.5 - Math.abs(side) * 0.6;
    ctx.beginPath();
    ctx.moveTo(38, 70);
    ctx.quadraticCurveTo(38 + side * 3, 44, 38 + side * 15, 50 + Math.abs(side) * 8);
    ctx.stroke();
  }
  ctx.fillStyle = css(palette.light, 0.42);
  for (const [x, half] of [
    [42, 44],
    [88, 16],
    [30, 22],
  ] as const) {
    ctx.beginPath();
    ctx.ellipse(x, 100, half, 1.1, 0, 0, Math.PI * 2);
    ctx.fill();
  }
  ctx.restore();
}

/** A flock, the nearest bird first. */
export function paintBirds(stage: Stage, count: number): void {
  beginLayer(stage, 0.35, "glide");
  const { ctx, width, unit, horizon, palette, scene } = stage;
  const random = stage.random.fork("birds");
  const isBusy = scene.subjects.includes("bird");
  const x = width * random.between(0.24, 0.66);
  const y = horizon * random.between(0.24, 0.5);
  for (let index = 0; index < count; index++) {
    const size = unit * (isBusy ? Math.max(22, 96 - index * 15) : random.between(14, 26));
    const bx = x + unit * index * random.between(24, 58) * (isBusy ? 1.2 : 1) - unit * 90;
    const by = y + unit * random.between(-54, 54);
    ctx.save();
    ctx.translate(bx, by);
    ctx.rotate(random.between(-0.2, 0.15));
    ctx.scale(size / 100, (size / 100) * random.between(0.55, 0.95));
    ctx.fillStyle = css(mix(palette.near, palette.haze, Math.min(0.6, 0.12 + index * 0.06)), 0.9);
    ctx.fill(new Path2D(OUTLINES.bird));
    ctx.restore();
  }
}

/** A butterfly with glowing wings. */
export function paintButterfly(stage: Stage, spot: Spot, own: Colour): void {
  const { ctx, palette } = stage;
  const path = new Path2D(OUTLINES.wing);
  for (const isMirrored of [false, true]) {
    enter(stage, spot, isMirrored);
    ctx.fillStyle = radial(ctx, 50, 56, 52, [
      [0, css(mix(own, palette.light, 0.55))],
      [0.55, css(own)],
      [0.85, css(mix(own, palette.near, 0.5))],
      [1, css(palette.near)],
    ]);
    ctx.fill(path);
    ctx.strokeStyle = css(palette.near, 0.8);
    ctx.lineWidth = 1.4;
    ctx.stroke(path);
    ctx.restore();
  }
  enter(stage, spot);
  ctx.fillStyle = css(palette.near);
  ctx.beginPath();
  ctx.ellipse(50, 58, 1.9, 15, 0, 0, Math.PI * 2);
  ctx.fill();
  ctx.restore();
}

/** A heart of light. */
export function paintHeart(stage: Stage, spot: Spot): void {
  const { ctx, palette } = stage;
  const red = mix(colourOf("#e8455f"), palette.accent, 0.2);
  enter(stage, spot);
  ctx.shadowColor = css(red, 0.8);
  ctx.shadowBlur = spot.tall * 0.25;
  ctx.fillStyle = radial(ctx, 34, 30, 80, [
    [0, css(mix(red, palette.light, 0.6))],
    [0.5, css(red)],
    [1, css(mix(red, palette.near, 0.4))],
  ]);
  ctx.fill(new Path2D(OUTLINES.heart));
  ctx.restore();
}
