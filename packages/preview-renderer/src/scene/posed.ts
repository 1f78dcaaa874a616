import { Path2D } from "@napi-rs/canvas";
import { type Colour, colourOf, css, lighten } from "../colour.js";
import type { Stage } from "../stage.js";
import type { Subject } from "../words.js";
import { enter, figureColour, paintShape, type Spot } from "./figures.js";
import { joined, limb } from "./limbs.js";

type Animal = "cat" | "dog" | "fox";

const HEADS = {
  cat: () => joined(limb([19, 45, 9.6], [16, 46, 9]), "M12 40 L11 25 L21 34 Z M19 34 L27 25 L28 40 Z"),
  dog: () => joined(limb([20, 43, 9.4], [17, 45, 8.4]), limb([14, 47, 6], [5, 50, 4.2])),
  fox: () =>
    joined(
      limb([20, 44, 8.6], [17, 46, 8]),
      "M18 40 L1 53 L20 54 Z",
      "M14 39 L14 24 L22 35 Z M20 36 L27 24 L28 40 Z",
    ),
} as const;
const TAILS = {
  cat: () => limb([78, 53, 3.2], [89, 49, 3], [96, 38, 2.8], [95, 27, 2]),
  dog: () => limb([79, 52, 3], [88, 46, 2.6], [94, 37, 1.6]),
  fox: () => limb([78, 54, 3.4], [88, 55, 7], [98, 52, 7.4], [108, 46, 1.4]),
} as const;
const farLegs = () =>
  joined(limb([34, 62, 6], [30, 76, 3.8], [19, 88, 2.6]), limb([67, 60, 8], [72, 76, 4.6], [83, 95, 2.6]));
const body = () =>
  joined(
    limb([32, 58, 11], [48, 57, 11], [62, 56, 10], [73, 57, 10.6]),
    limb([33, 55, 9], [25, 49, 8]),
    limb([31, 62, 7], [20, 74, 4], [6, 81, 2.7]),
    limb([73, 60, 9], [83, 71, 5], [95, 84, 2.7]),
  );
const LYING = "M10 99 C4 78 26 62 52 62 C82 61 100 80 94 96 C93 99 91 100 88 100 H14 C12 100 11 100 10 99 Z";

/** Animals that run or sleep: true where that was painted. */
export function paintPosed(stage: Stage, subject: Subject, spot: Spot, named: Colour | undefined): boolean {
  const { pose } = stage.scene;
  if (!pose || !isAnimal(subject)) return false;
  const own = named ?? colourOf({ cat: "#6b5648", dog: "#8a6a4a", fox: "#c9642b" }[subject]);
  const isMirrored = stage.sun.x > spot.x;
  if (pose === "runs") paintRunning(stage, subject, spot, own, isMirrored);
  else paintSleeping(stage, subject, { ...spot, tall: spot.tall * 0.9 }, own, isMirrored);
  return true;
}

const isAnimal = (subject: Subject): subject is Animal =>
  subject === "cat" || subject === "dog" || subject === "fox";

function paintRunning(stage: Stage, animal: Animal, spot: Spot, own: Colour, isMirrored: boolean): void {
  paintShape(stage, farLegs(), spot, lighten(own, -0.08), isMirrored);
  paintShape(stage, TAILS[animal](), spot, own, isMirrored);
  paintShape(stage, joined(body(), HEADS[animal]()), spot, own, isMirrored);
  const { ctx } = stage;
  enter(stage, spot, isMirrored);
  if (animal === "dog") {
    ctx.fillStyle = css(figureColour(stage, lighten(own, -0.12)));
    ctx.fill(new Path2D("M20 35 C28 34 33 42 30 52 C25 52 21 46 20 35 Z"));
  }
  ctx.fillStyle = css(figureColour(stage, colourOf("#16100e")));
  ctx.beginPath();
  ctx.arc(14, 43, 1.4, 0, Math.PI * 2);
  ctx.fill();
  ctx.restore();
}

function paintSleeping(stage: Stage, animal: Animal, spot: Spot, own: Colour, isMirrored: boolean): void {
  paintShape(stage, joined(LYING), spot, own, isMirrored);
  const head = {
    ...spot,
    x: spot.x + spot.tall * 0.07 * (isMirrored ? -1 : 1),
    y: spot.y + spot.tall * 0.42,
  };
  paintShape(stage, HEADS[animal](), head, lighten(own, 0.04), isMirrored);
  paintShape(
    stage,
    limb(
      [92, 93, 4],
      [76, 99, animal === "fox" ? 6 : 3.6],
      [58, 98, animal === "fox" ? 6 : 3.4],
      [44, 97, 2],
    ),
    spot,
    lighten(own, -0.05),
    isMirrored,
  );
  const { ctx } = stage;
  enter(stage, head, isMirrored);
  if (animal === "dog") {
    ctx.fillStyle = css(figureColour(stage, lighten(own, -0.12)));
    ctx.fill(new Path2D("M20 35 C28 34 33 42 30 52 C25 52 21 46 20 35 Z"));
  }
  ctx.strokeStyle = css(figureColour(stage, colourOf("#16100e")));
  ctx.lineWidth = 1.2;
  ctx.lineCap = "round";
  ctx.stroke(new Path2D("M11 44 C12.6 45.8 15 45.8 16.6 44.4"));
  ctx.restore();
}
