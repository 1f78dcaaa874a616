import { Path2D } from "@napi-rs/canvas";
import { colourOf, css, mix } from "../colour.js";
import { radial, type Stage } from "../stage.js";
import { enter, figureColour, paintShape, type Spot } from "./figures.js";
import { joined, limb } from "./limbs.js";

/** Flames, the outermost and coolest first. */
const FLAMES = [
  [
    "#e8452c",
    "M50 96 C26 96 16 82 20 66 C22 57 29 53 30 43 C36 48 38 53 38 59 C44 50 41 34 50 14 C52 30 66 38 66 54 C69 51 70 47 69.6 42 C78 52 84 62 81 76 C78 90 68 96 50 96 Z",
  ],
  [
    "#ff8a2c",
    "M50 96 C33 96 25 85 28 73 C30 66 35 62 36 55 C40 59 42 63 42 68 C47 60 45 46 51 32 C53 44 62 50 62 62 C65 60 66 58 66 55 C71 62 75 69 73 79 C70 91 63 96 50 96 Z",
  ],
  [
    "#ffc23f",
    "M50 96 C38 96 33 88 35 79 C37 73 41 71 42 65 C45 68 46 71 46 75 C50 69 49 60 53 50 C54 59 60 63 60 71 C62 70 63 68 63 66 C66 71 68 76 66 83 C64 92 59 96 50 96 Z",
  ],
  ["#fff1b8", "M50 96 C43 96 40 91 42 85 C44 80 48 77 50 69 C52 77 58 79 59 86 C59 92 56 96 50 96 Z"],
] as const;

const logs = () => joined(limb([22, 97, 4.4], [74, 88, 4]), limb([78, 97, 4.4], [26, 88, 4]));
const SPARKS = 26;

/** A bonfire with its glow on the ground and sparks above. */
export function paintFire(stage: Stage, spot: Spot): void {
  const { ctx } = stage;
  const random = stage.random.fork("sparks");
  enter(stage, spot);
  ctx.globalCompositeOperation = "screen";
  for (const [y, reach, alpha] of [
    [62, 130, 0.55],
    [80, 62, 0.6],
  ] as const) {
    ctx.fillStyle = radial(ctx, 50, y, reach, [
      [0, css(colourOf("#ff9a3c"), alpha)],
      [0.5, css(colourOf("#ff6a2a"), alpha * 0.3)],
      [1, css(colourOf("#ff6a2a"), 0)],
    ]);
    ctx.fillRect(50 - reach, y - reach, reach * 2, reach * 2);
  }
  ctx.restore();
  paintShape(stage, logs(), spot, colourOf("#6b4530"));
  enter(stage, spot);
  for (const [hex, path] of FLAMES) {
    ctx.fillStyle = hex;
    ctx.fill(new Path2D(path));
  }
  for (let index = 0; index < SPARKS; index++) {
    const rise = random.next();
    ctx.fillStyle = css(mix(colourOf("#ffd98a"), colourOf("#ff7a3a"), rise), 1 - rise * 0.6);
    ctx.beginPath();
    ctx.arc(
      50 + random.between(-30, 30) * (0.4 + rise),
      60 - rise * 90,
      random.between(0.4, 1.1),
      0,
      Math.PI * 2,
    );
    ctx.fill();
  }
  ctx.fillStyle = css(figureColour(stage, colourOf("#4a2f22")));
  ctx.fill(limb([30, 98.5, 3.6], [70, 98.5, 3.6]));
  ctx.restore();
}
