import { Path2D } from "@napi-rs/canvas";
import { type Colour, colourOf, css, lighten, mix } from "../colour.js";
import type { Person } from "../people.js";
import { type Stage, vertical } from "../stage.js";
import { enter, figureColour, paintShape, type Spot } from "./figures.js";
import { joined, limb } from "./limbs.js";

/** How somebody looks. */
export interface Look {
  isWoman: boolean;
  age: Person["age"];
  skin: Colour;
  hair: Colour;
  clothes: Colour;
}

const SKINS = ["#f3cfb3", "#e6b48f", "#c98d64", "#9a6544", "#6f4630"] as const;
const HAIRS = ["#2b1d1a", "#4a2e22", "#7a4a2a", "#b98545", "#8e3f2a", "#1b1b22"] as const;
const CLOTHES = ["#2f5d8a", "#b8433f", "#3f7d63", "#d9a441", "#6a4c93", "#e3e0d8"] as const;

const ANYBODY: Person = { sex: undefined, age: "adult", dress: undefined };
const GREY_HAIRS = ["#e4e2df", "#c9c7c6", "#a9a7a8"] as const;
const DRESSES = { bride: colourOf("#f7f3ee"), groom: colourOf("#23242e") } as const;
/** How tall somebody is, as a share of an adult. */
const TALLNESS = { child: 0.62, adult: 1, old: 0.93 } as const;
/** How much larger a child's head is beside its body than an adult's. */
const CHILD_HEAD = 1.4;

/** What the prompt says of the person `index`, and for the rest what the seed chooses. */
export function lookOf({ scene, random, palette }: Stage, index: number): Look {
  const own = random.fork(`look ${index}`);
  const { sex, age, dress } = scene.people[index] ?? ANYBODY;
  const named = index === 0 ? scene.colours[0] : undefined;
  const isWoman = sex === "woman" || (sex !== "man" && own.chance(0.5));
  const skin = colourOf(own.pick(SKINS));
  const fair = colourOf(own.pick(HAIRS));
  const young = skin.l < 0.68 ? mix(fair, colourOf("#1b1718"), 0.8) : fair;
  const hair = age === "old" ? colourOf(own.pick(GREY_HAIRS)) : young;
  const chosen = mix(colourOf(own.pick(CLOTHES)), palette.accent, 0.15);
  return {
    isWoman,
    age,
    skin,
    hair: (index === 0 ? scene.hair : undefined) ?? hair,
    clothes: dress ? DRESSES[dress] : (named ?? chosen),
  };
}

/** Least part of the own colour: more than in other figures, so that the face is no black disc. */
const LEAST = 0.55;

/** The people of the prompt on their feet, side by side; with an umbrella in the rain. */
export function paintPerson(stage: Stage, spot: Spot): void {
  const { place, weather, people } = stage.scene;
  const count = Math.max(1, people.length);
  const room = Math.min(1, stage.width / (count * 0.42 * spot.tall));
  for (let index = count - 1; index >= 0; index--) {
    const look = lookOf(stage, index);
    const tall = spot.tall * TALLNESS[look.age] * room;
    const aside = (index - (count - 1) / 2) * spot.tall * 0.36 * room;
    const own = { ...spot, x: spot.x + aside, tall };
    if (place === "space" || place === "moon") paintAstronaut(stage, own);
    else paintOne(stage, own, look);
    if (index === 0 && (weather === "rain" || weather === "storm")) paintUmbrella(stage, own);
  }
}

function paintOne(stage: Stage, spot: Spot, look: Look): void {
  const shape = (path: Path2D, own: Colour): void => paintShape(stage, path, spot, own, false, LEAST);
  const dark = colourOf("#23222c");
  if (look.isWoman) {
    if (look.age !== "old") shape(limb([50, 9, 6.6], [50, 17, 7.2], [50.4, 26, 5]), look.hair);
    shape(
      joined(
        limb([46.4, 70, 3], [46.2, 84, 2.5], [46, 96, 1.8]),
        limb([53.6, 70, 3], [54, 84, 2.5], [54.2, 96, 1.8]),
      ),
      look.skin,
    );
    shape(joined(limb([44, 98.2, 1.7], [46.4, 98, 1.9]), limb([54, 98, 1.9], [56.4, 98.2, 1.7])), dark);
    shape(
      joined(
        limb([42, 23, 2.7], [37.6, 35, 2.2], [38.6, 47, 1.8]),
        limb([58, 23, 2.7], [62.4, 35, 2.2], [61.4, 47, 1.8]),
      ),
      look.skin,
    );
    shape(limb([50, 12, 2.4], [50, 20, 2.7]), lighten(look.skin, -0.05));
    shape(
      new Path2D(
        "M41.6 20.6 C45 19.4 47 21.6 50 21.6 C53 21.6 55 19.4 58.4 20.6 C60.2 27 57.4 33 56.4 38 C60.6 50 64.6 62 66.6 73 C58 76.6 42 76.6 33.4 73 C35.4 62 39.4 50 43.6 38 C42.6 33 39.8 27 41.6 20.6 Z",
      ),
      look.clothes,
    );
  } else {
    shape(
      joined(
        limb([45.8, 50, 5.6], [44.6, 72, 4], [44.2, 94, 3.1]),
        limb([54.2, 50, 5.6], [55.6, 72, 4], [56.4, 94, 3.1]),
      ),
      mix(dark, colourOf("#3f4d6b"), 0.5),
    );
    shape(joined(limb([41.6, 98, 2], [45.4, 97.6, 2.3]), limb([55.4, 97.6, 2.3], [59.2, 98, 2])), dark);
    shape(joined(limb([37.8, 49, 1.7], [38, 52.6, 1.9]), limb([62.2, 49, 1.7], [62, 52.6, 1.9])), look.skin);
    shape(limb([50, 12, 2.8], [50, 20, 3.2]), lighten(look.skin, -0.05));
    shape(
      joined(
        "M40.6 21.4 C43.4 19 45.6 18.6 47 18.4 C48.6 20.6 51.4 20.6 53 18.4 C54.4 18.6 56.6 19 59.4 21.4 C60.4 31 60 43 59.2 54.6 L40.8 54.6 C40 43 39.6 31 40.6 21.4 Z",
        limb([41.2, 23.8, 3.2], [37.6, 36, 2.7], [37.8, 49.4, 2.1]),
        limb([58.8, 23.8, 3.2], [62.4, 36, 2.7], [62.2, 49.4, 2.1]),
      ),
      look.clothes,
    );
  }
  if (look.age === "old") paintCane(stage, spot);
  const k = look.age === "child" ? CHILD_HEAD : 1;
  // The neck stays where it is.
  paintHead(stage, { x: spot.x, y: spot.y + spot.tall * 0.844 * (k - 1), tall: spot.tall * k }, look);
}

function paintHead(stage: Stage, spot: Spot, look: Look): void {
  const shape = (path: Path2D, own: Colour): void => paintShape(stage, path, spot, own, false, LEAST);
  if (look.age === "old" && look.isWoman) shape(limb([50, -1, 2.8], [50.2, 0, 2.8]), look.hair);
  shape(
    new Path2D(
      "M44.8 8.4 C44.6 3.6 47 2.4 50 2.4 C53 2.4 55.4 3.6 55.2 8.4 C55 12.6 52.6 15.6 50 15.6 C47.4 15.6 45 12.6 44.8 8.4 Z",
    ),
    look.skin,
  );
  shape(
    new Path2D(
      look.isWoman
        ? "M50 0.8 C44.6 0.6 42.6 5 43.4 13 C44.4 12 45 8.6 45.8 6.6 C48.4 6.8 51.4 5.6 52.6 4.6 C54 6.4 55.4 9.4 56.6 13 C57.4 5 55.4 1 50 0.8 Z"
        : "M50 0.8 C45 0.6 43.6 4 44.4 9 C45 7.4 45.4 6.2 46.2 5.4 C49 6 52 5.6 53.6 5 C54.6 6.2 55 7.4 55.6 9 C56.4 4 55 1 50 0.8 Z",
    ),
    look.hair,
  );
  if (look.age === "old" && !look.isWoman) {
    shape(
      new Path2D("M45 9.4 C46 12 54 12 55 9.4 C55.2 14.6 53 19.4 50 19.6 C47 19.4 44.8 14.6 45 9.4 Z"),
      look.hair,
    );
  }
}

/** A stick to lean on. */
function paintCane(stage: Stage, spot: Spot): void {
  const { ctx } = stage;
  enter(stage, spot);
  ctx.strokeStyle = css(figureColour(stage, colourOf("#6d4528"), LEAST));
  ctx.lineWidth = 1.5;
  ctx.lineCap = "round";
  ctx.stroke(new Path2D("M68 99 L65.4 51 C65 47.6 61 47.6 60.6 50.4"));
  ctx.restore();
}

function paintAstronaut(stage: Stage, spot: Spot): void {
  const { ctx, palette } = stage;
  const suit = mix(colourOf("#eceef4"), palette.low, 0.12);
  const shape = (path: Path2D, own: Colour): void => paintShape(stage, path, spot, own, false, 0.78);
  shape(joined("M35 27 H65 V56 H35 Z"), lighten(suit, -0.22));
  shape(
    joined(
      limb([45, 54, 7], [42.6, 74, 6], [42, 93, 5.4]),
      limb([55, 54, 7], [58, 74, 6], [59.4, 93, 5.4]),
      limb([50, 34, 12], [50, 52, 11]),
      limb([40, 31, 6], [32.6, 43, 5], [33.6, 57, 4.4]),
      limb([60, 31, 6], [67.6, 42, 5], [71, 54, 4.4]),
      limb([38.6, 96.4, 3.6], [43, 96, 4]),
      limb([58.4, 96, 4], [63, 96.4, 3.6]),
    ),
    suit,
  );
  shape(limb([50, 13, 12.6]), suit);
  enter(stage, spot);
  ctx.fillStyle = vertical(ctx, 4, 22, [
    [0, css(mix(palette.accent, palette.light, 0.4))],
    [0.45, css(mix(colourOf("#27406e"), palette.mid, 0.3))],
    [1, css(colourOf("#0d1530"))],
  ]);
  ctx.beginPath();
  ctx.ellipse(50, 13.4, 9.2, 7.4, 0, 0, Math.PI * 2);
  ctx.fill();
  ctx.fillStyle = css(palette.light, 0.75);
  ctx.beginPath();
  ctx.ellipse(45.6, 10.2, 2.4, 1.5, -0.6, 0, Math.PI * 2);
  ctx.fill();
  ctx.fillStyle = css(mix(palette.accent, palette.near, 0.1));
  ctx.beginPath();
  ctx.roundRect(44.6, 36, 10.8, 7.4, 1.6);
  ctx.rect(36.6, 84, 11, 2.4);
  ctx.rect(53.4, 84, 11, 2.4);
  ctx.fill();
  ctx.restore();
}

function paintUmbrella(stage: Stage, spot: Spot): void {
  const { ctx, palette } = stage;
  enter(stage, spot);
  ctx.strokeStyle = css(figureColour(stage, colourOf("#2a2a30")));
  ctx.lineWidth = 1.2;
  ctx.beginPath();
  ctx.moveTo(62.6, 54);
  ctx.lineTo(62.6, -14);
  ctx.stroke();
  ctx.fillStyle = vertical(ctx, -18, 8, [
    [0, css(lighten(palette.accent, 0.05))],
    [1, css(mix(palette.accent, palette.near, 0.5))],
  ]);
  ctx.beginPath();
  ctx.moveTo(25, 8);
  ctx.bezierCurveTo(28, -21, 97, -21, 100, 8);
  for (const to of [81.2, 62.5, 43.7, 25]) ctx.quadraticCurveTo(to + 9.4, 0.5, to, 8);
  ctx.fill();
  ctx.restore();
}
