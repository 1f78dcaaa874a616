import { colourOf, css, mix } from "../colour.js";
import { beginLayer, FRONT, lit, type Stage } from "../stage.js";
import { paintAbstract } from "./abstract.js";
import { paintCity } from "./city.js";
import { paintBirds } from "./figures.js";
import { paintFlowers } from "./flowers.js";
import { paintForest, paintPines } from "./forest.js";
import {
  groundColour,
  type Line,
  paintDunes,
  paintGrass,
  paintHills,
  paintMountains,
  ridge,
} from "./land.js";
import { paintPortrait, paintStudio } from "./portrait.js";
import { paintPoster } from "./poster.js";
import { paintRoof } from "./roof.js";
import { paintRoom } from "./room.js";
import { paintAurora, paintClouds, paintDisc, paintSky, paintStars } from "./sky.js";
import { paintMoonGround, paintNebula, paintPlanets } from "./space.js";
import { paintSubjects } from "./subjects.js";
import { addPine, paintTree } from "./trees.js";
import { paintBank, paintWater } from "./water.js";
import { paintHaze, paintLightning, paintMist } from "./weather.js";

/** Paints the whole scene, from its sky to what stands in front. */
export function paintComposition(stage: Stage): void {
  const { place, subjects } = stage.scene;
  if (place === "poster") paintPoster(stage);
  else if (place === "abstract") paintAbstract(stage);
  else if (place === "studio") paintStudio(stage);
  else if (place === "space" || place === "moon") paintHeavens(stage);
  else if (place === "room") paintSubjects(stage, paintRoom(stage), undefined);
  else {
    paintAir(stage);
    PAINTERS[place](stage);
  }
  if (subjects.includes("portrait")) paintPortrait(stage);
  if (place === "abstract") paintSubjects(stage, () => stage.height * 0.86, undefined);
}

function paintHeavens(stage: Stage): void {
  paintNebula(stage);
  beginLayer(stage, 0.1);
  paintStars({ ...stage, horizon: stage.height });
  if (stage.scene.place === "space") {
    paintPlanets(stage);
    paintSubjects(stage, () => stage.height * 0.78, undefined);
    return;
  }
  const line = paintMoonGround(stage);
  paintSubjects(stage, (x) => line(x) + stage.unit * 34, undefined);
}

/** The sky with all that hangs in it. */
function paintAir(stage: Stage): void {
  const { scene } = stage;
  const isWet = scene.weather === "rain" || scene.weather === "storm";
  paintSky(stage);
  if (scene.time === "night" && !isWet) paintStars(stage);
  if (scene.time === "night" && !isWet && (scene.weather === "snow" || scene.season === "winter")) {
    beginLayer(stage, 0.08, "curtain");
    paintAurora(stage);
    beginLayer(stage, 0.05);
  }
  if (!isWet && scene.weather !== "fog") paintDisc(stage);
  const cover = { clear: 0.42, clouds: 0.68, rain: 0.86, storm: 0.95, snow: 0.6, fog: 0.36 }[scene.weather];
  beginLayer(stage, 0.12, "drift");
  paintClouds(stage, scene.time === "night" ? cover * 0.8 : cover);
  if (scene.weather !== "storm") return;
  beginLayer(stage, 0.15, "flash");
  paintLightning(stage);
}

const PAINTERS = {
  sea: (stage: Stage) => {
    const { horizon, height, unit, scene, random } = stage;
    if (scene.also.includes("mountains") || random.fork("isles").chance(0.6)) paintMountains(stage, 130);
    beginLayer(stage, 0.5);
    paintHaze(stage, horizon, unit * 46, 0.55);
    paintWater(stage, horizon, 0.18);
    finishShore(stage, height - unit * 96);
  },
  lake: (stage: Stage) => {
    const { horizon, height, unit } = stage;
    paintMountains(stage, 300);
    paintShoreWood(stage);
    paintHaze(stage, horizon, unit * 60, 0.5);
    paintWater(stage, horizon + unit * 30, 0.82);
    finishShore(stage, height - unit * 90);
  },
  forest: (stage: Stage) => {
    const line = paintForest(stage);
    const { unit, palette } = stage;
    beginLayer(stage, FRONT);
    const floor = mix(palette.near, groundColour(stage), Math.max(0.2, palette.ambient * 0.75));
    for (const [down, tall, shade] of [
      [30, 16, 0.3],
      [105, 30, 0.15],
      [190, 48, 0],
    ] as const) {
      paintGrass(stage, (x) => line(x - down * unit) + down * unit, mix(floor, palette.haze, shade), tall);
    }
    paintSubjects(stage, (x) => line(x) + stage.unit * 40, undefined);
  },
  city: (stage: Stage) => {
    const { horizon, height, unit } = stage;
    paintCity(stage);
    const street = horizon + (height - horizon) * 0.62;
    paintSubjects(stage, () => street + unit * 10, undefined);
  },
  mountains: (stage: Stage) => {
    const { height, unit, horizon, random } = stage;
    paintMountains(stage);
    beginLayer(stage, 0.46, "drift");
    paintMist(stage, 0.4);
    const hasTarn = random.fork("tarn").chance(0.65);
    paintShoreWood(stage, hasTarn ? 2 : 5);
    if (hasTarn) paintWater(stage, horizon + unit * 40, 0.85);
    const line = ridge(stage, "front", height - unit * 110, unit * 90, 0, 420);
    beginLayer(stage, FRONT);
    paintBank(stage, line);
    paintFrame(stage, line);
    paintGrass(stage, line, mix(stage.palette.near, groundColour(stage), stage.palette.ambient * 0.6), 22);
    paintBirds(stage, 4);
    paintSubjects(stage, line, undefined);
  },
  roof: (stage: Stage) => paintSubjects(stage, paintRoof(stage), undefined),
  desert: (stage: Stage) => paintSubjects(stage, paintDunes(stage), undefined),
  meadow: (stage: Stage) => {
    const { unit, scene, random, width } = stage;
    paintMountains(stage, 150);
    const line = paintHills(stage, groundColour(stage));
    const front: Line = (x) => line(x) + unit * 10;
    if (!scene.subjects.includes("tree") && random.fork("tree").chance(0.6)) {
      const x = stage.sun.x > width / 2 ? width * 0.14 : width * 0.86;
      paintTree(stage, x, line(x) + unit * 8, unit * 330, 0.9, "lone");
    }
    const ground = lit(stage, groundColour(stage), 0.97);
    paintGrass(stage, front, ground, 26);
    if (scene.season !== "winter" && !scene.subjects.includes("flower"))
      paintFlowers(stage, front, undefined);
    paintSubjects(stage, front, undefined);
  },
} as const;

/** A dark line of conifers at the foot of the mountains. */
function paintShoreWood(stage: Stage, rows = 2): void {
  beginLayer(stage, 0.5);
  const { horizon, unit } = stage;
  const green = colourOf(stage.scene.season === "winter" ? "#5d7787" : "#2f5f4d");
  for (let index = 0; index < rows; index++) {
    const depth = Math.min(0.92, 0.5 + index * 0.14);
    const line = ridge(
      stage,
      `wood${index}`,
      horizon + unit * (22 + index * (rows > 2 ? 40 : 26)),
      unit * 30,
      0,
      260,
    );
    paintPines(
      stage,
      line,
      unit * (46 + index * 40),
      lit(stage, green, depth),
      `woods${index}`,
      unit * (9 + index * 8),
    );
    const { ctx, width, height } = stage;
    ctx.fillStyle = css(lit(stage, green, depth));
    ctx.beginPath();
    for (let x = -4; x < width + 8; x += 6 * unit) ctx.rect(x, line(x), 6.6 * unit, height - line(x));
    ctx.fill();
  }
}

/** A few large conifers at the side away from the sun, which give the picture depth. */
function paintFrame(stage: Stage, line: Line): void {
  const { ctx, width, unit, palette, sun } = stage;
  const random = stage.random.fork("frame");
  const isLeft = sun.x > width / 2;
  ctx.beginPath();
  for (let index = 0; index < 5; index++) {
    const inward = unit * (index * 58 + random.between(-24, 24));
    const x = isLeft ? inward : width - inward;
    addPine(ctx, x, line(x) + unit * 10, unit * random.between(250, 430) * (1 - index * 0.09), random);
  }
  ctx.fillStyle = css(mix(palette.near, colourOf("#24503f"), palette.ambient * 0.5));
  ctx.fill();
}

/** What swims on the water; what cannot swim stands on a bank in front. */
function finishShore(stage: Stage, bank: number): void {
  const { horizon, unit, scene } = stage;
  const swimmers = scene.subjects.filter((name) =>
    ["boat", "whale", "balloon", "balloons", "bird", "spaceship"].includes(name),
  );
  paintBirds(stage, 5);
  const needsLand = swimmers.length < scene.subjects.length;
  const line: Line = needsLand ? ridge(stage, "bank", bank, unit * 70, 0, 460) : () => bank;
  if (needsLand) {
    beginLayer(stage, FRONT);
    paintBank(stage, line);
    paintGrass(stage, line, mix(stage.palette.near, groundColour(stage), stage.palette.ambient * 0.5), 20);
  }
  paintSubjects(stage, line, horizon);
}
