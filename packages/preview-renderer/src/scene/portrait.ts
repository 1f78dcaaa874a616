import { Path2D } from "@napi-rs/canvas";
import { type Colour, colourOf, css, lighten, mix } from "../colour.js";
import { beginLayer, FRONT, type Stage, vertical } from "../stage.js";
import { enter, paintShape, type Spot } from "./figures.js";
import { defocus } from "./focus.js";
import { joined } from "./limbs.js";
import { type Look, lookOf } from "./person.js";

const FACE =
  "M31.5 38 C31 22 40 13 50 13 C60 13 69 22 68.5 38 C68.5 51 61.5 66.6 50 67.6 C38.5 66.6 31.5 51 31.5 38 Z";
const EARS = "M32 39 C27.6 36.6 27.6 48 33.4 49 Z M68 39 C72.4 36.6 72.4 48 66.6 49 Z";
const NECK = "M41.4 58 L41 75 C44 83 56 83 59 75 L58.6 58 Z";
const SHOULDERS = "M4 101 C6 86 20 79.4 39.6 74.6 C43 82 57 82 60.4 74.6 C80 79.4 94 86 96 101 Z";
const NARROW_SHOULDERS = "M19 101 C21 88 29 80.4 40.4 75 C43.6 82 56.4 82 59.6 75 C71 80.4 79 88 81 101 Z";
const HAIR = {
  man: [
    "M29.8 41 C26 22 34 6 52 6.4 C69 6.6 74.6 22 70.2 41 C69.6 35 68.4 30 65.6 25.6 C57 28.6 45 28 37.4 21.6 C33 26.6 30.6 33 29.8 41 Z",
    "M29.8 40 C27 24 36 9 50 9 C64 9 73 24 70.2 40 C69 33 66.6 26.6 61 22 C54 19.6 46 19.6 39 22 C33.4 26.6 31 33 29.8 40 Z",
    "M29.6 43 C24 24 32 3 50 5 C60 2 76 12 70.4 43 C69.6 37 69 33 66.4 30 C62 30 60 25 57 22.6 C50 29 41 30 34.6 28.6 C32 33 30.6 37 29.6 43 Z",
  ],
  woman: [
    "M50 12.6 C41 15.6 33.6 25 31.4 47 C26 28 31 6 50 6 C69 6 74 28 68.6 47 C66.4 25 59 15.6 50 12.6 Z",
    "M30.4 46 C25 26 32 5.4 51 5.6 C69 5.8 75 26 69.6 46 C69 37 67 30 63 24.6 C54 28.6 42 32 33.4 31.6 C31.6 36 31 41 30.4 46 Z",
    "M30.6 42 C27 25 34 6 50 6 C66 6 73 25 69.4 42 C68.6 37 68 33 66.6 31 C56 33.4 44 33.4 33.4 31 C32 33 31.4 37 30.6 42 Z",
  ],
} as const;
const BACK_HAIR = [
  "M50 5.6 C27 5 22 26 24.6 46 C26 60 19 72 22 87 C32 92 41 88 43 80 L57 80 C59 88 68 92 78 87 C81 72 74 60 75.4 46 C78 26 73 5 50 5.6 Z",
  "M50 5.6 C28 5 23 24 24.6 44 C25.4 56 25 62 28.6 66 C34 68.6 40 66 43 62 L57 62 C60 66 66 68.6 71.4 66 C75 62 74.6 56 75.4 44 C77 24 72 5 50 5.6 Z",
  "M50 -4 C57.6 -4 61 1.6 58.6 7 C70 10 74.6 24 71 42 L29 42 C25.4 24 30 10 41.4 7 C39 1.6 42.4 -4 50 -4 Z",
] as const;
const BEARD =
  "M31.6 43 C32 59 39.6 71.4 50 71.4 C60.4 71.4 68 59 68.4 43 C67 51 63.6 54.6 58 54.4 C53.6 52.4 46.4 52.4 42 54.4 C36.4 54.6 33 51 31.6 43 Z";

const BUN = BACK_HAIR[2];
/** Lines of the forehead, at the eyes, below them and from the nose to the mouth. */
const WRINKLES =
  "M40 28.6 C44 27.4 56 27.4 60 28.6 M38.6 31.6 C44 30.4 56 30.4 61.4 31.6 M34.2 40.4 L36 41.6 M33.8 43 L35.8 43 M34.4 45.6 L36.2 44.4 M65.8 40.4 L64 41.6 M66.2 43 L64.2 43 M65.6 45.6 L63.8 44.4 M38 46.4 C40 48 43.4 48 45 46.6 M62 46.4 C60 48 56.6 48 55 46.6 M45.8 50.6 C43.2 53 41.8 55.6 41.4 58.6 M54.2 50.6 C56.8 53 58.2 55.6 58.6 58.6";
const GLASSES =
  "M35.4 42.4 A6.1 5.3 0 1 1 47.6 42.4 A6.1 5.3 0 1 1 35.4 42.4 M52.4 42.4 A6.1 5.3 0 1 1 64.6 42.4 A6.1 5.3 0 1 1 52.4 42.4 M47.6 41.8 C49 40.6 51 40.6 52.4 41.8 M35.4 42 L32 40.6 M64.6 42 L68 40.6";

/** Least part of the own colours, which a face shows in any light. */
const LEAST = 0.8;

/** A person's head and shoulders in front of what is painted so far, which gets out of focus. */
export function paintPortrait(stage: Stage): void {
  const { width, height, scene, random } = stage;
  if (scene.place !== "studio") defocus(stage);
  beginLayer(stage, FRONT);
  const tall = Math.min(height * 0.84, width * 1.02);
  const spot = { x: width / 2, y: height, tall };
  const look = lookOf(stage, 0);
  const own = random.fork("portrait");
  const isOldWoman = look.isWoman && look.age === "old";
  if (look.isWoman)
    paintShape(
      stage,
      new Path2D(isOldWoman ? BUN : own.pick(BACK_HAIR)),
      spot,
      lighten(look.hair, -0.05),
      false,
      LEAST,
    );
  paintShape(stage, joined(NECK), spot, lighten(look.skin, -0.07), false, LEAST);
  paintShape(
    stage,
    joined(look.age === "child" ? NARROW_SHOULDERS : SHOULDERS),
    spot,
    look.clothes,
    false,
    LEAST,
  );
  paintShape(stage, joined(FACE, EARS), spot, look.skin, false, LEAST);
  const hasBeard = !look.isWoman && look.age !== "child" && own.chance(look.age === "old" ? 0.75 : 0.45);
  if (hasBeard) paintShape(stage, joined(BEARD), spot, look.hair, false, LEAST);
  paintFeatures(stage, spot, look, hasBeard);
  if (look.age === "old") paintAge(stage, spot, look);
  paintShape(stage, joined(own.pick(look.isWoman ? HAIR.woman : HAIR.man)), spot, look.hair, false, LEAST);
}

/** A plain ground with a large disc behind the head. */
export function paintStudio(stage: Stage): void {
  const { ctx, width, height, palette } = stage;
  ctx.fillStyle = vertical(ctx, 0, height, [
    [0, css(mix(palette.mid, palette.light, 0.35))],
    [1, css(mix(palette.low, palette.haze, 0.4))],
  ]);
  ctx.fillRect(0, 0, width, height);
  beginLayer(stage, 0.3);
  const radius = Math.min(width, height) * 0.4;
  stage.ctx.fillStyle = css(mix(palette.accent, palette.low, 0.25));
  stage.ctx.beginPath();
  stage.ctx.arc(width / 2, height * 0.5, radius, 0, Math.PI * 2);
  stage.ctx.fill();
}

function paintFeatures(
  stage: Stage,
  spot: Spot,
  { isWoman, age, skin, hair }: Look,
  hasBeard: boolean,
): void {
  const { ctx, palette } = stage;
  const shown = (own: Colour): Colour => mix(palette.near, own, LEAST);
  enter(stage, spot);
  ctx.save();
  ctx.clip(new Path2D(FACE));
  const toSun = stage.sun.x > spot.x ? -1 : 1;
  ctx.fillStyle = css(shown(lighten(skin, -0.12)), 0.32);
  ctx.fill(
    new Path2D(toSun < 0 ? "M20 0 H46 C42 24 44 50 50 70 H20 Z" : "M80 0 H54 C58 24 56 50 50 70 H80 Z"),
  );
  for (const x of [38.5, 61.5]) {
    const blush = ctx.createRadialGradient(x, 51, 0, x, 51, 7);
    blush.addColorStop(0, css(colourOf("#e2664f"), hasBeard ? 0 : 0.28));
    blush.addColorStop(1, css(colourOf("#e2664f"), 0));
    ctx.fillStyle = blush;
    ctx.fillRect(x - 8, 43, 16, 16);
  }
  ctx.restore();
  ctx.lineCap = "round";
  ctx.strokeStyle = css(shown(mix(hair, colourOf("#1c1412"), age === "old" ? 0.12 : 0.4)));
  ctx.lineWidth = isWoman ? 1.1 : 1.7;
  ctx.stroke(new Path2D("M36.6 36.4 C39 34 43 33.8 45.4 35.4 M54.6 35.4 C57 33.8 61 34 63.4 36.4"));
  ctx.fillStyle = css(shown(colourOf("#fbf7f0")));
  ctx.fill(
    new Path2D(
      "M37.4 42.2 C39.4 39.4 43.6 39.4 45.4 42.4 C43.4 44.6 39.6 44.6 37.4 42.2 Z M62.6 42.2 C60.6 39.4 56.4 39.4 54.6 42.4 C56.6 44.6 60.4 44.6 62.6 42.2 Z",
    ),
  );
  ctx.fillStyle = css(shown(colourOf("#33231c")));
  for (const x of [41.5, 58.5]) {
    ctx.beginPath();
    ctx.arc(x, 42, 2.05, 0, Math.PI * 2);
    ctx.fill();
  }
  ctx.fillStyle = "rgba(255,255,255,0.9)";
  for (const x of [42.2, 59.2]) {
    ctx.beginPath();
    ctx.arc(x, 41.3, 0.6, 0, Math.PI * 2);
    ctx.fill();
  }
  ctx.strokeStyle = css(shown(colourOf("#2a1c18")));
  ctx.lineWidth = isWoman ? 1.1 : 0.7;
  ctx.stroke(new Path2D("M36.8 42 C39.2 38.8 43.6 38.8 45.6 42.2 M63.2 42 C60.8 38.8 56.4 38.8 54.4 42.2"));
  ctx.strokeStyle = css(shown(lighten(skin, -0.17)));
  ctx.lineWidth = 1;
  ctx.stroke(new Path2D("M50.6 41 C50.2 46 47 49.6 47.6 51.4 C48.6 52.8 51 52.8 52.4 52"));
  ctx.fillStyle = css(shown(mix(colourOf("#b8434a"), skin, isWoman ? 0.1 : 0.45)));
  ctx.fill(
    new Path2D(
      "M43.6 58.2 C46.4 56.6 48.6 56.4 50 57.2 C51.4 56.4 53.6 56.6 56.4 58.2 C54 61.8 46 61.8 43.6 58.2 Z",
    ),
  );
  ctx.strokeStyle = css(shown(mix(colourOf("#7d2a33"), skin, 0.1)));
  ctx.lineWidth = 0.6;
  ctx.stroke(new Path2D("M43.8 58.3 C47 59.4 53 59.4 56.2 58.3"));
  ctx.restore();
}

/** What years leave in a face; a grandmother looks through glasses. */
function paintAge(stage: Stage, spot: Spot, { isWoman, skin }: Look): void {
  const { ctx, palette } = stage;
  enter(stage, spot);
  ctx.lineCap = "round";
  ctx.strokeStyle = css(mix(palette.near, lighten(skin, -0.2), LEAST), 0.75);
  ctx.lineWidth = 0.75;
  ctx.stroke(new Path2D(WRINKLES));
  if (isWoman) {
    ctx.strokeStyle = css(mix(palette.near, colourOf("#4a3f48"), LEAST));
    ctx.lineWidth = 0.9;
    ctx.stroke(new Path2D(GLASSES));
  }
  ctx.restore();
}
