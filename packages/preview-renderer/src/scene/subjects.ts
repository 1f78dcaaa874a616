import { type Colour, colourOf, css } from "../colour.js";
import { beginLayer, FRONT, radial, type Stage } from "../stage.js";
import { DISHES, type Subject } from "../words.js";
import { paintBee } from "./bee.js";
import { paintDeer } from "./deer.js";
import { paintBowl, paintBurger, paintCake, paintCoffee, paintFruit, paintPizza } from "./dishes.js";
import { paintDragon } from "./dragon.js";
import {
  paintBirds,
  paintButterfly,
  paintCat,
  paintFigure,
  paintFox,
  paintHeart,
  paintWhale,
  type Spot,
} from "./figures.js";
import { paintFire } from "./fire.js";
import { paintFlowers } from "./flowers.js";
import { canWearHat, paintHat, paintWornHat } from "./hat.js";
import { paintHorse } from "./horse.js";
import { paintKite } from "./kite.js";
import type { Line } from "./land.js";
import { paintCar, paintRobot, paintRocket } from "./machines.js";
import { paintBalloon, paintBoat, paintCastle, paintHouse, paintLighthouse } from "./objects.js";
import { paintPartyBalloons } from "./party-balloons.js";
import { paintPerson } from "./person.js";
import { paintPosed } from "./posed.js";
import { paintRoad } from "./road.js";
import { paintSpaceship } from "./spaceship.js";
import { paintSunflowers } from "./sunflower.js";
import { paintTrain } from "./train.js";
import { paintTree } from "./trees.js";
import { paintMist } from "./weather.js";

type SubjectPainter = (stage: Stage, spot: Spot, own: Colour | undefined, ground: Line) => void;

interface Form {
  /** How tall it is, in units; 0 for what has no place of its own. */
  units: number;
  /** Home, on the ground unless told otherwise. A swimmer stands where there is no water. */
  home?: "sky" | "water";
  /** Takes the colour that the prompt names, if it names one. */
  paint: SubjectPainter;
}

/** The composition itself shows these. */
const nothing: SubjectPainter = () => {};

const FORMS: Record<Subject, Form> = {
  cat: { units: 250, paint: (stage, spot, own) => paintCat(stage, spot, own ?? colourOf("#6b5648")) },
  dog: {
    units: 245,
    paint: (stage, spot, own) =>
      paintFigure(stage, "dog", spot, own ?? colourOf("#8a6a4a"), stage.sun.x > spot.x),
  },
  fox: { units: 240, paint: (stage, spot, own) => paintFox(stage, spot, own ?? colourOf("#c9642b")) },
  deer: { units: 320, paint: (stage, spot, own) => paintDeer(stage, spot, own ?? colourOf("#a8693c")) },
  horse: { units: 310, paint: (stage, spot, own) => paintHorse(stage, spot, own ?? colourOf("#8f5a36")) },
  unicorn: {
    units: 310,
    paint: (stage, spot, own) => paintHorse(stage, spot, own ?? colourOf("#f6f2f7"), true),
  },
  dragon: { units: 380, paint: (stage, spot, own) => paintDragon(stage, spot, own ?? colourOf("#3f8f62")) },
  boat: { units: 250, home: "water", paint: paintBoat },
  whale: {
    units: 290,
    home: "water",
    paint: (stage, spot, own) => paintWhale(stage, spot, own ?? colourOf("#44668c")),
  },
  house: { units: 230, paint: paintHouse },
  castle: { units: 330, paint: paintCastle },
  lighthouse: { units: 360, paint: paintLighthouse },
  balloon: { units: 250, home: "sky", paint: paintBalloons },
  balloons: { units: 330, home: "sky", paint: paintPartyBalloons },
  kite: { units: 190, home: "sky", paint: paintKite },
  rocket: { units: 250, home: "sky", paint: paintRocket },
  spaceship: { units: 270, home: "sky", paint: paintSpaceship },
  robot: { units: 290, paint: paintRobot },
  person: { units: 330, paint: paintPerson },
  portrait: { units: 0, paint: nothing },
  tree: { units: 480, paint: (stage, spot) => paintTree(stage, spot.x, spot.y, spot.tall, 0.95, "subject") },
  flower: { units: 0, paint: (stage, _spot, own, ground) => paintFlowers(stage, ground, own) },
  sunflower: { units: 440, paint: paintSunflowers },
  bee: { units: 230, home: "sky", paint: paintBee },
  bird: { units: 0, home: "sky", paint: (stage) => paintBirds(stage, 6) },
  butterfly: {
    units: 170,
    home: "sky",
    paint: (stage, spot, own) => paintButterfly(stage, spot, own ?? stage.palette.accent),
  },
  car: { units: 210, paint: (stage, spot, own) => paintCar(stage, spot, own ?? colourOf("#c8444a")) },
  train: { units: 170, paint: (stage, spot, own) => paintTrain(stage, spot, own ?? colourOf("#b23a3a")) },
  road: { units: 0, paint: nothing },
  fireplace: { units: 0, paint: nothing },
  fire: { units: 270, paint: paintFire },
  hat: { units: 210, paint: (stage, spot, own) => paintHat(stage, spot, own ?? colourOf("#5a4334")) },
  cake: { units: 480, paint: paintCake },
  pizza: { units: 430, paint: paintPizza },
  burger: { units: 410, paint: paintBurger },
  coffee: { units: 390, paint: paintCoffee },
  fruit: { units: 390, paint: paintFruit },
  food: { units: 400, paint: paintBowl },
  clock: { units: 0, paint: nothing },
  heart: { units: 170, home: "sky", paint: paintHeart },
};

/** How much larger the only animal of a portrait is. */
const CLOSE_UP = 1.8;

/**
 * Puts the subjects into the picture: the first near the golden section away from the sun, the others beside it.
 * @param ground the line that they stand on
 * @param water the line on which boats and whales swim, if there is water
 */
export function paintSubjects(stage: Stage, ground: Line, water: number | undefined): void {
  const { width, height, unit, sun, scene, horizon } = stage;
  const random = stage.random.fork("subjects");
  const side = sun.x > width / 2 ? -1 : 1;
  const wearer = scene.subjects.find(canWearHat);
  const isBesides = (name: Subject): boolean =>
    (name === "hat" && wearer !== undefined) || (name === "bee" && scene.subjects.includes("sunflower"));
  const standing = scene.subjects.filter((name) => FORMS[name].paint !== nothing && !isBesides(name));
  const shares = scene.isCloseUp ? [0.02, -0.33, 0.36] : [0.13, -0.22, 0.34];
  // Fog lies behind what the picture is about: in front it would hide it.
  if (scene.weather === "fog" && !scene.isIndoors) {
    beginLayer(stage, 0.7, "drift");
    paintMist(stage, 0.75);
  }
  if (scene.subjects.includes("road") && !scene.isIndoors && scene.place !== "space") {
    beginLayer(stage, FRONT);
    paintRoad(stage, ground);
  }
  for (const [index, subject] of standing.entries()) {
    const { units, home, paint } = FORMS[subject];
    const room = Math.min(1, width / (unit * 900), height / (unit * 800));
    const scale = room * (index === 0 ? (scene.isCloseUp ? CLOSE_UP : 1) : 0.74);
    const isServed = scene.place === "room" && DISHES.has(subject);
    const x =
      width *
      (0.5 + side * (isServed && index === 0 ? 0 : (shares[index] ?? 0)) + random.between(-0.03, 0.03));
    const tall = units * unit * scale;
    const stands = ground(x) + unit * 6 + (scene.isCloseUp && index === 0 ? tall * 0.08 : 0);
    const floats = horizon * random.between(0.42, 0.55) + tall / 2;
    const swims = water === undefined ? stands : water + (height - water) * 0.3;
    const y = home === "sky" ? floats : home === "water" ? swims : stands;
    const isAfloat = home === "sky" || (water !== undefined && home === "water") || scene.place === "space";
    beginLayer(stage, FRONT, isAfloat ? "float" : "still");
    for (const spot of spotsOf({ x, y, tall }, scene.counts[subject] ?? 1, width, subject)) {
      if (scene.time === "night" && tall > 0 && !scene.isIndoors) paintHalo(stage, spot);
      if (paintPosed(stage, subject, spot, scene.colours[0])) continue;
      paint(stage, spot, scene.colours[0], ground);
      if (subject === wearer && scene.subjects.includes("hat")) {
        paintWornHat(stage, subject, spot, colourOf("#4a3a52"));
      }
    }
  }
}

/** The places of several of one kind, beside each other within the picture. People find theirs themselves. */
function spotsOf(spot: Spot, count: number, width: number, subject: Subject): Spot[] {
  if (count <= 1 || subject === "person" || spot.tall === 0) return [spot];
  const scale = Math.min(1, width / (spot.tall * 0.95 * count));
  const step = spot.tall * scale * 0.85;
  const centre = Math.min(width - (step * count) / 2, Math.max((step * count) / 2, spot.x));
  return Array.from({ length: count }, (_, index) => ({
    x: centre + (index - (count - 1) / 2) * step,
    y: spot.y,
    tall: spot.tall * scale * (index % 2 === 0 ? 1 : 0.9),
  }));
}

/** A breath of light behind what would be dark before the dark. */
function paintHalo({ ctx, palette }: Stage, { x, y, tall }: Spot): void {
  ctx.save();
  ctx.translate(x, y - tall * 0.45);
  ctx.scale(tall * 0.95, tall * 0.8);
  ctx.fillStyle = radial(ctx, 0, 0, 1, [
    [0, css(palette.haze, 0.5)],
    [0.5, css(palette.haze, 0.26)],
    [1, css(palette.haze, 0)],
  ]);
  ctx.fillRect(-1, -1, 2, 2);
  ctx.restore();
}

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
