import { type Colour, colourOf } from "../colour.js";
import { beginLayer, FRONT, type Stage } from "../stage.js";
import type { Subject } from "../words.js";
import {
  paintBirds,
  paintButterfly,
  paintCat,
  paintFigure,
  paintFox,
  paintHeart,
  paintPerson,
  paintWhale,
  type Spot,
} from "./figures.js";
import { paintFlowers } from "./flowers.js";
import type { Line } from "./land.js";
import { paintCar, paintRobot, paintRocket } from "./machines.js";
import { paintBalloon, paintBoat, paintCastle, paintHouse, paintLighthouse } from "./objects.js";
import { paintTree } from "./trees.js";

/** How tall a subject is, in units, and how far its middle is above the ground: 0 stands, 1 is in the sky. */
const FORMS: Record<Subject, readonly [units: number, lift: number]> = {
  cat: [250, 0],
  dog: [245, 0],
  fox: [240, 0],
  boat: [250, 0],
  whale: [290, 0],
  house: [230, 0],
  castle: [330, 0],
  lighthouse: [360, 0],
  balloon: [250, 1],
  rocket: [250, 1],
  robot: [290, 0],
  person: [260, 0],
  portrait: [0, 0],
  tree: [480, 0],
  flower: [0, 0],
  bird: [0, 1],
  butterfly: [170, 1],
  car: [210, 0],
  clock: [0, 0],
  heart: [170, 1],
};

/**
 * Puts the subjects into the picture: the first near the golden section away from the sun, the others beside it.
 * @param ground the line that they stand on
 * @param water the line on which boats and whales swim, if there is water
 */
export function paintSubjects(stage: Stage, ground: Line, water: number | undefined): void {
  const { width, height, unit, sun, scene, horizon } = stage;
  const random = stage.random.fork("subjects");
  const side = sun.x > width / 2 ? -1 : 1;
  const shares = [0.13, -0.22, 0.34];
  for (const [index, subject] of scene.subjects.entries()) {
    const [units, lift] = FORMS[subject];
    const scale = Math.min(1, width / (unit * 900), height / (unit * 800)) * (index === 0 ? 1 : 0.74);
    const x = width * (0.5 + side * (shares[index] ?? 0) + random.between(-0.03, 0.03));
    const tall = units * unit * scale;
    const stands = ground(x) + unit * 6;
    const floats = horizon * random.between(0.42, 0.55) + tall / 2;
    const swims = water === undefined ? stands : water + (height - water) * 0.3;
    const y = lift === 1 ? floats : SWIMMERS.has(subject) ? swims : stands;
    const isAfloat = lift === 1 || (water !== undefined && SWIMMERS.has(subject)) || scene.place === "space";
    beginLayer(stage, FRONT, isAfloat ? "float" : "still");
    PAINTERS[subject](stage, { x, y, tall }, scene.colours[0], ground);
  }
}

const SWIMMERS: ReadonlySet<Subject> = new Set(["boat", "whale"]);

type SubjectPainter = (stage: Stage, spot: Spot, own: Colour | undefined, ground: Line) => void;

/** The composition itself shows these. */
const nothing: SubjectPainter = () => {};

/** Each takes the colour that the prompt names, if it names one. */
const PAINTERS: Record<Subject, SubjectPainter> = {
  cat: (stage, spot, own) => paintCat(stage, spot, own ?? colourOf("#6b5648")),
  dog: (stage, spot, own) =>
    paintFigure(stage, "dog", spot, own ?? colourOf("#8a6a4a"), stage.sun.x > spot.x),
  fox: (stage, spot, own) => paintFox(stage, spot, own ?? colourOf("#c9642b")),
  whale: (stage, spot, own) => paintWhale(stage, spot, own ?? colourOf("#44668c")),
  person: paintPerson,
  boat: paintBoat,
  house: paintHouse,
  castle: paintCastle,
  lighthouse: paintLighthouse,
  balloon: paintBalloons,
  rocket: paintRocket,
  robot: paintRobot,
  car: (stage, spot, own) => paintCar(stage, spot, own ?? colourOf("#c8444a")),
  tree: (stage, spot) => paintTree(stage, spot.x, spot.y, spot.tall, 0.95, "subject"),
  flower: (stage, _spot, own, ground) => paintFlowers(stage, ground, own),
  bird: (stage) => paintBirds(stage, 6),
  butterfly: (stage, spot, own) => paintButterfly(stage, spot, own ?? stage.palette.accent),
  heart: paintHeart,
  portrait: nothing,
  clock: nothing,
};

function paintBalloons(stage: Stage, spot: Spot): void {
  const { palette, scene, width, unit } = stage;
  const random = stage.random.fork("balloons");
  const first = scene.colours[0] ?? palette.accent;
  for (let index = 3; index > 0; index--) {
    const tall = spot.tall * random.between(0.18, 0.36);
    const own = random.pick([palette.accent, palette.low, palette.mid, first]);
    paintBalloon(
      stage,
      { x: width * random.between(0.1, 0.9), y: spot.y - unit * random.between(-30, 190), tall },
      own,
    );
  }
  paintBalloon(stage, spot, first);
}
