import { type Colour, colourOf, css, mix } from "../colour.js";
import type { Stage } from "../stage.js";
import { enter, figureColour, paintShape, type Spot } from "./figures.js";
import { joined, limb } from "./limbs.js";

const farLegs = () =>
  joined(
    limb([41, 62, 6], [43.5, 74, 2.6], [42, 86, 1.8], [42.5, 99, 1.7]),
    limb([65, 62, 7], [64, 72, 4], [69, 82, 2.1], [67.5, 99, 1.7]),
  );
const body = () =>
  joined(
    limb([35, 56, 9], [47, 58, 9.6], [61, 56.5, 9], [72, 55, 9.4]),
    limb([36, 54, 8.6], [30, 43, 5.6], [28.5, 33, 4.4]),
    limb([29, 30, 4.8], [24, 32.5, 3.9], [18.5, 35.8, 2.5], [17, 36.6, 2.2]),
    limb([35.5, 62, 6.4], [34.5, 75, 2.9], [34, 87, 1.9], [33.5, 99, 1.8]),
    limb([73, 57, 8.6], [72, 70, 5], [77.5, 81, 2.3], [76, 90, 1.9], [75.5, 99, 1.8]),
    limb([30, 27, 1.6], [36, 23.5, 2.6], [41, 22.5, 0.5]),
  );
const antlers = () =>
  joined(
    limb([27.6, 27, 1.5], [25, 19, 1.3], [17, 12, 1.2], [15.5, 3, 0.6]),
    limb([25, 19, 1.1], [19, 20.5, 1], [14.5, 18, 0.5]),
    limb([19.8, 14.5, 1.1], [12, 13, 0.9], [8.5, 8.5, 0.5]),
    limb([30.5, 26.5, 1.5], [33, 18, 1.3], [41.5, 11.5, 1.2], [44, 2, 0.6]),
    limb([34, 17, 1.1], [33.5, 11, 1], [29.5, 6.5, 0.5]),
    limb([40.5, 12.3, 1.1], [48, 11.5, 0.9], [52, 7, 0.5]),
  );

/** A stag from the side, with a light belly and rump. */
export function paintDeer(stage: Stage, spot: Spot, own: Colour): void {
  const isMirrored = stage.sun.x > spot.x;
  const dark = mix(own, colourOf("#1d1410"), 0.45);
  paintShape(stage, farLegs(), spot, dark, isMirrored);
  paintShape(stage, antlers(), spot, mix(own, colourOf("#e8d3b0"), 0.45), isMirrored);
  paintShape(stage, body(), spot, own, isMirrored);
  enter(stage, spot, isMirrored);
  const { ctx } = stage;
  ctx.fillStyle = css(figureColour(stage, colourOf("#f3e6d2")), 0.85);
  ctx.fill(limb([78.5, 50, 2.4], [80.5, 54, 2.8], [80, 59, 1.6]));
  ctx.fill(limb([31, 41, 2.2], [32.5, 50, 3.4], [37, 58, 1.2]));
  for (const [x, y] of [
    [52, 51.5],
    [58, 50.5],
    [64, 50],
    [55, 55.5],
    [61, 54.6],
    [67, 53.6],
  ] as const) {
    ctx.beginPath();
    ctx.arc(x, y, 0.95, 0, Math.PI * 2);
    ctx.fill();
  }
  ctx.fillStyle = css(figureColour(stage, colourOf("#140e0c")));
  ctx.beginPath();
  ctx.arc(25.4, 30.6, 1, 0, Math.PI * 2);
  ctx.arc(16, 36, 1.4, 0, Math.PI * 2);
  ctx.fill();
  ctx.restore();
}
