import { colourOf, lighten, mix } from "../colour.js";
import type { Stage } from "../stage.js";
import { type Drifter, petalSprite, spotSprite, streakSprite } from "./drifters.js";

/** What moves in the air of a scene: rain, snow, leaves, fireflies or dust. */
export function weatherOf(stage: Stage): Drifter[] {
  const { place, weather, season, isIndoors } = stage.scene;
  if (isIndoors) return place === "room" ? motes(stage) : [];
  if (weather === "rain" || weather === "storm") return rain(stage);
  if (weather === "snow") return snow(stage);
  if (season === "spring" || season === "autumn") return [...leaves(stage), ...motes(stage)];
  return motes(stage);
}

/** What twinkles and moves in the scene itself: stars, sparks on water, lights of cars. */
export function lightsOf(stage: Stage): Drifter[] {
  const { place, time, weather, isIndoors } = stage.scene;
  if (isIndoors) return [];
  const isWet = weather === "rain" || weather === "storm";
  const hasStars = place === "space" || place === "moon" || (time === "night" && !isWet);
  return [
    ...(hasStars && place !== "abstract" ? stars(stage) : []),
    ...((place === "sea" || place === "lake") && !isWet ? sparks(stage) : []),
    ...(place === "city" ? cars(stage) : []),
    ...(place === "space" ? stardust(stage) : []),
  ];
}

const STILL = { speedX: 0, speedY: 0, sway: 0, rate: 1, phase: 0, twinkle: 0, spin: 0 } as const;

/** How many times larger the stage is than the square that counts are given for. */
const areaOf = ({ width, height, unit }: Stage): number => (width * height) / (unit * unit * 1024 * 1024);

function many(count: number, make: (index: number) => Drifter): Drifter[] {
  return Array.from({ length: Math.round(count) }, (_, index) => make(index));
}

function rain(stage: Stage): Drifter[] {
  const { width, height, unit, palette, scene } = stage;
  const random = stage.random.fork("moving rain");
  const slant = scene.weather === "storm" ? 0.3 : 0.12;
  const sprite = streakSprite(mix(palette.light, palette.mid, 0.25), slant);
  return many(areaOf(stage) * 330, () => {
    const near = random.next() ** 2;
    const tall = unit * (20 + 90 * near);
    const speedY = unit * (620 + 900 * near);
    return {
      ...STILL,
      sprite,
      x: random.next() * width,
      y: random.next() * height,
      width: (tall * sprite.width) / sprite.height,
      height: tall,
      depth: 0.5 + near * 0.5,
      speedX: -speedY * slant,
      speedY,
      alpha: 0.45 + 0.25 * near,
    };
  });
}

function snow(stage: Stage): Drifter[] {
  const { width, height, unit, palette } = stage;
  const random = stage.random.fork("moving snow");
  const white = lighten(mix(palette.light, palette.low, 0.1), 0.05);
  const [flake, blurred] = [spotSprite(white, 0.5), spotSprite(white, 0.15)];
  const wind = random.between(-30, 30);
  return many(areaOf(stage) * 330, (index) => {
    const isClose = index % 24 === 0;
    const near = isClose ? 1 : random.next() ** 2.5;
    const side = unit * (isClose ? random.between(16, 36) : 2.4 + 9 * near);
    return {
      ...STILL,
      sprite: isClose ? blurred : flake,
      x: random.next() * width,
      y: random.next() * height,
      width: side,
      height: side,
      depth: 0.45 + near * 0.55,
      speedX: unit * wind * (0.4 + near),
      speedY: unit * (45 + 110 * near) * random.between(0.8, 1.2),
      sway: unit * random.between(4, 16),
      rate: random.between(0.6, 1.6),
      phase: random.next() * 7,
      alpha: isClose ? 0.4 : random.between(0.5, 0.95),
    };
  });
}

function leaves(stage: Stage): Drifter[] {
  const { width, height, unit, scene } = stage;
  const random = stage.random.fork("moving leaves");
  const colours =
    scene.season === "spring"
      ? (["#f7c9d6", "#f2a6bd", "#fde8ee"] as const)
      : (["#d9702f", "#e8a33a", "#b5452c"] as const);
  const sprites = colours.map((colour) => petalSprite(colour));
  const wind = random.between(-50, 50);
  return many(46, (index) => {
    const near = random.next();
    const side = unit * (6 + 13 * near);
    return {
      ...STILL,
      sprite: sprites[index % sprites.length] as Drifter["sprite"],
      x: random.next() * width,
      y: random.next() * height,
      width: side,
      height: side,
      depth: 0.5 + near * 0.5,
      speedX: unit * wind * (0.5 + near),
      speedY: unit * (30 + 60 * near),
      sway: unit * random.between(14, 40),
      rate: random.between(0.6, 1.4),
      phase: random.next() * 7,
      alpha: random.between(0.6, 0.95),
      spin: random.between(-1.6, 1.6),
    };
  });
}

/** Fireflies at night, dust in the light by day. */
function motes(stage: Stage): Drifter[] {
  const { width, height, unit, palette, scene } = stage;
  if (scene.place === "space" || scene.place === "moon") return [];
  const random = stage.random.fork("moving motes");
  const isNight = scene.time === "night" && scene.place !== "city";
  const sprite = spotSprite(isNight ? mix(palette.accent, palette.light, 0.4) : palette.light, 0.16);
  return many(isNight ? 34 : 40, () => {
    const side = unit * (random.chance(0.15) ? random.between(22, 44) : random.between(5, 12));
    return {
      ...STILL,
      sprite,
      x: random.next() * width,
      y: random.between(0.3, 1) * height,
      width: side,
      height: side,
      depth: random.between(0.6, 1),
      speedX: unit * random.between(-16, 16),
      speedY: unit * random.between(-15, -2),
      sway: unit * random.between(6, 22),
      rate: random.between(0.5, 1.8),
      phase: random.next() * 7,
      alpha: side > unit * 20 ? 0.12 : isNight ? 0.9 : random.between(0.25, 0.55),
      twinkle: isNight ? 1 : 0.5,
    };
  });
}

function stars(stage: Stage): Drifter[] {
  const { width, height, unit, palette, scene, horizon } = stage;
  const random = stage.random.fork("twinkling stars");
  const sprite = spotSprite(palette.light, 0.12);
  const bottom = scene.place === "space" ? height : horizon * 0.85;
  return many(80, () => {
    const side = unit * random.between(4, 11);
    return {
      ...STILL,
      sprite,
      x: random.next() * width,
      y: random.next() ** 1.3 * bottom,
      width: side,
      height: side,
      depth: 0.05,
      rate: random.between(1.2, 4),
      phase: random.next() * 7,
      alpha: random.between(0.4, 0.95),
      twinkle: 0.9,
    };
  });
}

/** Sparks where the light lies on the water. */
function sparks(stage: Stage): Drifter[] {
  const { width, height, unit, palette, horizon, sun } = stage;
  const random = stage.random.fork("sparks");
  const sprite = spotSprite(palette.light, 0.3);
  return many(130, () => {
    const t = random.next() ** 1.5;
    const aside = (random.next() + random.next() - 1) * (70 + 330 * t) * unit;
    const wide = unit * (8 + 34 * t) * random.between(0.5, 1.2);
    return {
      ...STILL,
      sprite,
      x: Math.min(width, Math.max(0, sun.x + aside)),
      y: horizon + unit * 6 + t * (height - horizon) * 0.7,
      width: wide,
      height: Math.max(1.5 * unit, wide * 0.14),
      depth: 0.55,
      sway: unit * 5,
      rate: random.between(2, 5),
      phase: random.next() * 7,
      alpha: random.between(0.4, 0.9),
      twinkle: 1,
    };
  });
}

function cars(stage: Stage): Drifter[] {
  const { width, unit, horizon, scene } = stage;
  if (scene.time === "day" && scene.weather === "clear") return [];
  const random = stage.random.fork("cars");
  const sprites = [spotSprite(colourOf("#ffe9bd"), 0.2), spotSprite(colourOf("#ff5a48"), 0.2)] as const;
  return many(18, (index) => {
    const isComing = index % 2 === 0;
    const side = unit * random.between(14, 30);
    return {
      ...STILL,
      sprite: sprites[isComing ? 0 : 1],
      x: random.next() * width,
      y: horizon + unit * (isComing ? 2 : -4),
      width: side,
      height: side,
      depth: 0.55,
      speedX: unit * (isComing ? 1 : -1) * random.between(60, 130),
      alpha: 0.9,
    };
  });
}

/** Stars close enough to pass by. */
function stardust(stage: Stage): Drifter[] {
  const { width, height, unit, palette } = stage;
  const random = stage.random.fork("stardust");
  const sprite = spotSprite(palette.light, 0.3);
  const way = random.chance(0.5) ? 1 : -1;
  return many(70, () => {
    const near = random.next() ** 2;
    const side = unit * (2 + 5 * near);
    return {
      ...STILL,
      sprite,
      x: random.next() * width,
      y: random.next() * height,
      width: side,
      height: side,
      depth: near,
      speedX: unit * way * (8 + 60 * near),
      speedY: unit * (2 + 12 * near),
      alpha: 0.4 + 0.5 * near,
    };
  });
}
