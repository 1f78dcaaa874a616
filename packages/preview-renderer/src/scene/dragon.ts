import { Path2D } from "@napi-rs/canvas";
import { type Colour, colourOf, css, mix } from "../colour.js";
import type { Stage } from "../stage.js";
import { enter, figureColour, paintShape, type Spot } from "./figures.js";
import { joined, limb } from "./limbs.js";

const body = () =>
  joined(
    limb([41, 46, 9], [44, 58, 11.5], [53, 72, 13.5], [63, 84, 13]),
    limb([42, 47, 9], [37, 36, 6.6], [38.5, 25, 5.4], [33, 16, 5]),
    limb([33, 14.5, 5.6], [25, 16, 4.4], [16, 17, 3], [14, 17.6, 2.6]),
    limb([31, 18, 4], [24, 22.5, 2], [17.5, 24.5, 1.2]),
    limb([66, 86, 11], [80, 94.5, 5.6], [96, 94, 3.6], [107, 86, 2.2], [106, 77, 1.2]),
    limb([42, 60, 6.4], [37.5, 75, 4.2], [39.5, 89, 3], [34, 97.4, 2.5]),
    limb([63, 84, 12], [55, 92, 6], [46, 97, 3]),
    "M106 80 L100.5 73 L107.5 62 L112 74.5 Z",
  );
const horns = () =>
  joined(
    limb([35, 11, 1.9], [41.5, 6.5, 1.4], [49, 6, 0.4]),
    limb([33, 10, 1.7], [38, 3, 1.2], [44.5, 0.6, 0.4]),
  );
const WING =
  "M46 50 C47 36 54 18 66 3 C84 8 102 21 112 39 C105 37 99 40 96 47 C90 43 82 45 79 54 C72 51 64 54 60 64 Z";
const BONES =
  "M46 50 C49 36 55 20 66 3 C68 24 65 42 60 63 M66 3 C74 18 79 34 79.4 53 M66 3 C80 14 90 28 96 46";
const SPIKES =
  "M43.5 25.5 L49 24 L43.4 31 Z M43 33 L49.5 34 L44 39.5 Z M72 80 L78 76 L77.6 85 Z M81 88 L87 84.5 L87 91.5 Z M90.5 90.5 L96.5 87 L96.5 93 Z";
const FLAME = "M13 20 C4 12 -10 14 -22 8 C-18 14 -26 16 -34 18 C-26 21 -30 26 -24 32 C-12 28 2 30 13 22.5 Z";
const HOT = "M13 20.4 C6 16 -6 18 -16 16 C-14 19 -17 21 -18 24 C-8 24 4 25 13 22 Z";

/** A dragon that sits with raised wings and breathes fire. */
export function paintDragon(stage: Stage, spot: Spot, own: Colour): void {
  const { ctx } = stage;
  const isMirrored = stage.sun.x > spot.x;
  const dark = mix(own, colourOf("#10141c"), 0.5);
  const far = { ...spot, x: spot.x + (isMirrored ? 0.16 : -0.16) * spot.tall, y: spot.y - spot.tall * 0.05 };
  paintShape(stage, new Path2D(WING), far, dark, isMirrored);
  paintShape(stage, joined(SPIKES, horns()), spot, mix(own, colourOf("#f6e3b8"), 0.5), isMirrored);
  paintShape(stage, body(), spot, own, isMirrored);
  paintShape(stage, new Path2D(WING), spot, mix(own, stage.palette.accent, 0.35), isMirrored);
  enter(stage, spot, isMirrored);
  ctx.strokeStyle = css(figureColour(stage, dark));
  ctx.lineWidth = 1.5;
  ctx.lineCap = "round";
  ctx.stroke(new Path2D(BONES));
  ctx.fillStyle = css(figureColour(stage, mix(own, colourOf("#fbe9c0"), 0.6)), 0.8);
  ctx.fill(limb([36.5, 40, 2.4], [36, 50, 4], [40.5, 62, 4.6], [47.5, 74, 4], [53, 80, 1.4]));
  ctx.shadowColor = "rgba(255,140,40,0.9)";
  ctx.shadowBlur = spot.tall * 0.1;
  ctx.fillStyle = "#ff8a2c";
  ctx.fill(new Path2D(FLAME));
  ctx.shadowBlur = 0;
  ctx.fillStyle = "#ffe08a";
  ctx.fill(new Path2D(HOT));
  ctx.beginPath();
  ctx.ellipse(27.6, 13.8, 1.7, 1.2, -0.3, 0, Math.PI * 2);
  ctx.fill();
  ctx.restore();
}
