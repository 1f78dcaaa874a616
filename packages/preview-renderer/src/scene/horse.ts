import { type Colour, colourOf, css, mix } from "../colour.js";
import type { Stage } from "../stage.js";
import { enter, figureColour, paintShape, type Spot } from "./figures.js";
import { joined, limb } from "./limbs.js";

const farLegs = () =>
  joined(
    limb([38, 58, 7], [41, 72, 3.8], [38, 84, 2.5], [38.5, 97, 2.3]),
    limb([67, 56, 9], [66, 68, 5.6], [71, 79, 3], [69, 91, 2.3], [68, 97, 2.3]),
  );
const body = () =>
  joined(
    limb([31, 50, 12], [45, 52, 13], [60, 50, 12.4], [74, 49, 13]),
    limb([33, 46, 11.5], [26, 34, 8], [21.5, 22, 5.8]),
    limb([23, 18, 5.6], [17, 22, 5], [11.5, 29, 3.6], [8.5, 34, 3.3]),
    limb([32, 57, 8], [30.5, 72, 4.2], [30.5, 84, 2.7], [30, 97, 2.5]),
    limb([75, 50, 12], [74, 64, 7.6], [79.5, 78, 3.5], [77, 90, 2.6], [76.5, 97, 2.5]),
    "M21 14 L22.5 5.5 L26 13.5 Z",
  );
const mane = () =>
  joined(
    limb([22, 11.5, 2], [29, 17, 3.8], [34.5, 28, 4.6], [39, 38, 3.4], [41, 45, 1]),
    limb([21, 11, 1.6], [18.5, 15, 1.8], [18, 20, 0.6]),
  );
const tail = () => limb([84, 43, 3], [91, 49, 4.4], [94, 62, 5], [92.5, 76, 3.6], [95, 85, 0.8]);
const HOOVES = "M27 95.5 H33 L34 100 H26 Z M74 95.5 H79.5 L80.5 100 H73 Z";
const FAR_HOOVES = "M36 95.5 H41.4 L42.4 100 H35 Z M65.6 95.5 H71 L72 100 H64.6 Z";

/** A standing horse from the side, with a horn for a unicorn. */
export function paintHorse(stage: Stage, spot: Spot, own: Colour, hasHorn = false): void {
  const isMirrored = stage.sun.x > spot.x;
  const dark = mix(own, colourOf("#1d1410"), 0.55);
  paintShape(stage, joined(farLegs(), FAR_HOOVES), spot, mix(own, dark, 0.6), isMirrored);
  const hair = hasHorn ? mix(stage.palette.accent, colourOf("#e79ad0"), 0.5) : dark;
  paintShape(stage, tail(), spot, hair, isMirrored);
  paintShape(stage, body(), spot, own, isMirrored);
  paintShape(stage, mane(), spot, hair, isMirrored);
  paintShape(stage, joined(HOOVES), spot, colourOf("#2a2220"), isMirrored);
  enter(stage, spot, isMirrored);
  const { ctx } = stage;
  ctx.fillStyle = css(figureColour(stage, colourOf("#120d0c")));
  ctx.beginPath();
  ctx.arc(17.6, 19.6, 1, 0, Math.PI * 2);
  ctx.fill();
  ctx.restore();
  if (hasHorn)
    paintShape(stage, joined("M16.6 15.4 L9 -4 L20.4 13.4 Z"), spot, colourOf("#f6d27a"), isMirrored);
}
