import { Path2D } from "@napi-rs/canvas";
import { type Colour, colourOf, css, lighten, mix } from "../colour.js";
import { beginLayer, FRONT, radial, type Stage, vertical } from "../stage.js";
import { DISHES } from "../words.js";
import { paintFireplace } from "./fireplace.js";
import { defocus } from "./focus.js";
import type { Line } from "./land.js";

const WALLS = ["#d9c6a8", "#9db5a5", "#c98f78", "#8ea4bd", "#b9a0b8"] as const;
const WOOD = colourOf("#8f6242");

/** A colour in the light of the room: a lamp burns when it is dark outside. */
function indoors({ palette, scene }: Stage, own: Colour): Colour {
  const light = { day: 0.94, dawn: 0.86, sunset: 0.76, night: 0.5 }[scene.time];
  return mix(mix(palette.near, own, light), palette.low, 0.06);
}

/** A room with a window onto the sky; returns the line on which things stand: the floor, or a table for dishes. */
export function paintRoom(stage: Stage): Line {
  const { ctx, width, height, horizon, random } = stage;
  const wall = colourOf(random.fork("wall").pick(WALLS));
  const shade = indoors(stage, wall);
  ctx.fillStyle = vertical(ctx, 0, horizon, [
    [0, css(lighten(shade, -0.07))],
    [1, css(lighten(shade, 0.02))],
  ]);
  ctx.fillRect(0, 0, width, horizon + 1);
  const isLeft = random.fork("sides").chance(0.5);
  const windowX = width * (isLeft ? 0.3 : 0.7);
  paintFloor(stage);
  paintWindow(stage, windowX);
  beginLayer(stage, 0.5);
  const hasFireplace = stage.scene.subjects.includes("fireplace");
  const away = width * (isLeft ? 0.68 : 0.32);
  if (!hasFireplace) paintPictures(stage, width * (isLeft ? 0.7 : 0.3));
  paintPlant(stage, width * (isLeft ? 0.075 : 0.925));
  if (hasFireplace)
    paintFireplace(stage, away, horizon + stage.unit * 20, stage.unit * 380, (own) => indoors(stage, own));
  else paintSofa(stage, away);
  paintLamp(stage, width * (isLeft ? 0.93 : 0.07));
  const hasDish = stage.scene.subjects.some((name) => DISHES.has(name));
  if (!hasDish) return () => height * 0.9;
  defocus(stage);
  beginLayer(stage, FRONT);
  return paintTable(stage);
}

function paintFloor(stage: Stage): void {
  const { ctx, width, height, horizon, unit } = stage;
  const wood = indoors(stage, colourOf("#b98a5e"));
  ctx.fillStyle = vertical(ctx, horizon, height, [
    [0, css(lighten(wood, -0.06))],
    [1, css(lighten(wood, 0.02))],
  ]);
  ctx.fillRect(0, horizon, width, height - horizon);
  ctx.strokeStyle = css(lighten(wood, -0.12), 0.55);
  ctx.lineWidth = unit * 1.6;
  ctx.beginPath();
  for (let index = -12; index <= 12; index++) {
    ctx.moveTo(width / 2 + index * unit * 66, horizon);
    ctx.lineTo(width / 2 + index * unit * 190, height);
  }
  ctx.stroke();
  ctx.fillStyle = css(indoors(stage, colourOf("#f2ece2")));
  ctx.fillRect(0, horizon - unit * 16, width, unit * 16);
  ctx.fillStyle = css(indoors(stage, mix(stage.palette.accent, colourOf("#f2ece2"), 0.35)), 0.9);
  ctx.beginPath();
  ctx.ellipse(width / 2, height * 0.9, width * 0.36, height * 0.085, 0, 0, Math.PI * 2);
  ctx.fill();
}

function paintWindow(stage: Stage, x: number): void {
  const { ctx, horizon, palette, unit, sun, scene } = stage;
  const [wide, tall] = [unit * 270, Math.min(horizon * 0.62, unit * 350)];
  const [left, top] = [x - wide / 2, horizon * 0.14];
  ctx.save();
  ctx.beginPath();
  ctx.rect(left, top, wide, tall);
  ctx.clip();
  ctx.fillStyle = vertical(ctx, top, top + tall, [
    [0, css(palette.top)],
    [0.5, css(palette.mid)],
    [0.9, css(palette.low)],
  ]);
  ctx.fillRect(left, top, wide, tall);
  ctx.fillStyle = css(palette.light);
  ctx.beginPath();
  ctx.arc(
    left + wide * 0.68,
    top + tall * (scene.time === "night" ? 0.28 : 0.5),
    sun.radius * 0.6,
    0,
    Math.PI * 2,
  );
  ctx.fill();
  for (const [base, colour] of [
    [0.66, mix(palette.haze, palette.near, 0.25)],
    [0.8, mix(palette.haze, palette.near, 0.55)],
  ] as const) {
    ctx.fillStyle = css(colour);
    ctx.beginPath();
    ctx.ellipse(
      left + wide * (base - 0.4),
      top + tall * (base + 0.4),
      wide * 0.75,
      tall * 0.42,
      0,
      0,
      Math.PI * 2,
    );
    ctx.ellipse(left + wide * 0.95, top + tall * (base + 0.36), wide * 0.6, tall * 0.34, 0, 0, Math.PI * 2);
    ctx.fill();
  }
  ctx.restore();
  ctx.strokeStyle = css(indoors(stage, colourOf("#f7f3ea")));
  ctx.lineWidth = unit * 12;
  ctx.strokeRect(left, top, wide, tall);
  ctx.lineWidth = unit * 7;
  ctx.beginPath();
  ctx.moveTo(x, top);
  ctx.lineTo(x, top + tall);
  ctx.moveTo(left, top + tall * 0.36);
  ctx.lineTo(left + wide, top + tall * 0.36);
  ctx.stroke();
  const cloth = indoors(stage, mix(palette.accent, colourOf("#efe6da"), 0.55));
  for (const side of [-1, 1]) {
    const edge = x + side * (wide / 2 + unit * 34);
    const inner = x + side * (wide / 2 - unit * 26);
    ctx.fillStyle = css(lighten(cloth, side * 0.02));
    ctx.beginPath();
    ctx.moveTo(edge, top - unit * 26);
    ctx.lineTo(inner, top - unit * 26);
    ctx.quadraticCurveTo(
      inner + side * unit * 6,
      top + tall * 0.6,
      edge - side * unit * 36,
      top + tall + unit * 60,
    );
    ctx.lineTo(edge, top + tall + unit * 60);
    ctx.fill();
  }
  ctx.fillStyle = css(indoors(stage, WOOD));
  ctx.fillRect(x - wide / 2 - unit * 56, top - unit * 34, wide + unit * 112, unit * 9);
}

function paintPictures(stage: Stage, x: number): void {
  const { ctx, horizon, unit, palette } = stage;
  for (const [index, [dx, wide, tall]] of (
    [
      [-74, 110, 146],
      [62, 122, 98],
    ] as const
  ).entries()) {
    const [left, top] = [x + dx * unit - (wide * unit) / 2, horizon * (index === 0 ? 0.2 : 0.25)];
    ctx.fillStyle = css(indoors(stage, colourOf("#fbf8f1")));
    ctx.fillRect(left, top, wide * unit, tall * unit);
    ctx.fillStyle = css(indoors(stage, index === 0 ? palette.accent : palette.mid));
    ctx.beginPath();
    ctx.arc(left + (wide / 2) * unit, top + (tall / 2) * unit, unit * 30, index * Math.PI, Math.PI * 2);
    ctx.fill();
    ctx.strokeStyle = css(indoors(stage, WOOD));
    ctx.lineWidth = unit * 5;
    ctx.strokeRect(left, top, wide * unit, tall * unit);
  }
}

function paintSofa(stage: Stage, x: number): void {
  const { ctx, horizon, palette, random } = stage;
  const unit = stage.unit * 1.3;
  const own = colourOf(random.fork("sofa").pick(["#3f6f78", "#a8564a", "#4a5f94", "#6f8a5a"]));
  const cloth = indoors(stage, mix(own, palette.accent, 0.12));
  const y = horizon + stage.unit * 74;
  const box = (dx: number, dy: number, wide: number, tall: number, colour: Colour, round = 20): void => {
    ctx.fillStyle = css(colour);
    ctx.beginPath();
    ctx.roundRect(x + (dx - wide / 2) * unit, y + dy * unit, wide * unit, tall * unit, round * unit);
    ctx.fill();
  };
  for (const dx of [-140, 140]) box(dx, -12, 14, 30, indoors(stage, WOOD), 3);
  box(0, -150, 330, 120, lighten(cloth, -0.04), 30);
  box(-83, -80, 164, 76, cloth, 14);
  box(83, -80, 164, 76, cloth, 14);
  box(-176, -106, 54, 104, lighten(cloth, -0.07), 24);
  box(176, -106, 54, 104, lighten(cloth, -0.07), 24);
  box(-104, -130, 84, 66, indoors(stage, palette.accent), 16);
  box(102, -124, 76, 60, indoors(stage, colourOf("#f1e3c6")), 16);
}

function paintLamp(stage: Stage, x: number): void {
  const { ctx, horizon, unit, scene } = stage;
  const foot = horizon + unit * 70;
  const top = horizon - unit * 250;
  ctx.fillStyle = css(indoors(stage, colourOf("#3a332f")));
  ctx.fillRect(x - unit * 3, top, unit * 6, foot - top);
  ctx.beginPath();
  ctx.ellipse(x, foot, unit * 36, unit * 8, 0, 0, Math.PI * 2);
  ctx.fill();
  ctx.fillStyle = scene.time === "day" ? css(indoors(stage, colourOf("#f4e3bf"))) : "#ffe2a0";
  ctx.fill(
    new Path2D(
      `M${x - unit * 34} ${top - unit * 52} H${x + unit * 34} L${x + unit * 60} ${top + unit * 34} H${x - unit * 60} Z`,
    ),
  );
  if (scene.time === "day") return;
  ctx.save();
  ctx.globalCompositeOperation = "screen";
  const reach = unit * 420;
  ctx.fillStyle = radial(ctx, x, top, reach, [
    [0, "rgba(255,196,110,0.55)"],
    [0.4, "rgba(255,170,90,0.2)"],
    [1, "rgba(255,160,80,0)"],
  ]);
  ctx.fillRect(x - reach, top - reach, reach * 2, reach * 2);
  ctx.restore();
}

function paintPlant(stage: Stage, x: number): void {
  const { ctx, horizon, unit } = stage;
  const y = horizon + unit * 66;
  const random = stage.random.fork("plant");
  const green = colourOf("#3f7d56");
  for (let index = 0; index < 11; index++) {
    const angle = -Math.PI / 2 + (index / 10 - 0.5) * 2.3;
    const reach = unit * random.between(130, 210);
    const [tipX, tipY] = [x + Math.cos(angle) * reach, y - unit * 74 + Math.sin(angle) * reach];
    const [midX, midY] = [(x + tipX) / 2, (y - unit * 74 + tipY) / 2];
    const [sideX, sideY] = [-Math.sin(angle) * unit * 22, Math.cos(angle) * unit * 22];
    ctx.fillStyle = css(indoors(stage, lighten(green, random.between(-0.06, 0.08))));
    ctx.beginPath();
    ctx.moveTo(x, y - unit * 74);
    ctx.quadraticCurveTo(midX + sideX, midY + sideY, tipX, tipY);
    ctx.quadraticCurveTo(midX - sideX, midY - sideY, x, y - unit * 74);
    ctx.fill();
  }
  ctx.fillStyle = css(indoors(stage, colourOf("#c8785a")));
  ctx.beginPath();
  ctx.moveTo(x - unit * 44, y - unit * 84);
  ctx.lineTo(x + unit * 44, y - unit * 84);
  ctx.lineTo(x + unit * 32, y);
  ctx.lineTo(x - unit * 32, y);
  ctx.fill();
}

/** A table across the whole front. */
function paintTable(stage: Stage): Line {
  const { ctx, width, height, unit } = stage;
  const top = height * 0.76;
  const wood = indoors(stage, WOOD);
  ctx.fillStyle = vertical(ctx, top, height, [
    [0, css(lighten(wood, 0.08))],
    [1, css(lighten(wood, -0.02))],
  ]);
  ctx.fillRect(0, top, width, height - top);
  ctx.fillStyle = css(lighten(wood, 0.14));
  ctx.fillRect(0, top, width, unit * 5);
  ctx.strokeStyle = css(lighten(wood, -0.07), 0.5);
  ctx.lineWidth = unit * 2;
  ctx.beginPath();
  for (const share of [0.3, 0.62]) {
    ctx.moveTo(0, top + (height - top) * share);
    ctx.lineTo(width, top + (height - top) * share);
  }
  ctx.stroke();
  return () => top + (height - top) * 0.42;
}
