import { colourOf, css, lighten, mix } from "../colour.js";
import { beginLayer, FRONT, lit, type Stage, vertical } from "../stage.js";
import { paintCity } from "./city.js";
import type { Line } from "./land.js";

/** The roofs of a town, and in front a tiled one with a chimney; returns the line of its ridge. */
export function paintRoof(stage: Stage): Line {
  const { width, height, unit, horizon, scene, random, sun } = stage;
  paintCity(stage);
  beginLayer(stage, FRONT - 0.05);
  const { ctx } = stage;
  const isSnowy = scene.season === "winter" || scene.weather === "snow";
  const clay = lit(stage, colourOf(isSnowy ? "#e6edf4" : "#b3563c"), 0.97);
  const ridge = horizon - unit * 20;
  const chimney = width * (sun.x > width / 2 ? 0.84 : 0.16);
  const brick = lit(stage, colourOf("#8d5443"), 0.97);
  ctx.fillStyle = css(brick);
  ctx.fillRect(chimney - unit * 42, ridge - unit * 150, unit * 84, unit * 190);
  ctx.fillStyle = css(lighten(brick, -0.06));
  ctx.fillRect(chimney - unit * 52, ridge - unit * 160, unit * 104, unit * 22);
  ctx.fillStyle = vertical(ctx, ridge, height, [
    [0, css(lighten(clay, 0.03))],
    [1, css(lighten(clay, -0.08))],
  ]);
  ctx.fillRect(-4, ridge, width + 8, height - ridge + 4);
  paintTiles(stage, ridge);
  ctx.fillStyle = css(mix(clay, stage.palette.light, 0.18));
  for (let x = -unit * 20; x < width; x += unit * 64) {
    ctx.beginPath();
    ctx.roundRect(x, ridge - unit * (9 + random.fork("cap").next() * 2), unit * 62, unit * 20, unit * 9);
    ctx.fill();
  }
  return () => ridge - unit * 8;
}

/** Rows of round tiles, larger towards the viewer. */
function paintTiles(stage: Stage, ridge: number): void {
  const { ctx, width, height, unit, palette, random } = stage;
  const own = random.fork("tiles");
  let y = ridge + unit * 8;
  for (let row = 0; y < height + unit * 40; row++) {
    const tall = unit * (26 + row * 5);
    const wide = tall * 1.15;
    for (let x = -wide * (row % 2 === 0 ? 1 : 0.5); x < width + wide; x += wide) {
      ctx.fillStyle = css(palette.near, own.between(0.02, 0.16));
      ctx.beginPath();
      ctx.moveTo(x, y);
      ctx.lineTo(x, y + tall * 0.55);
      ctx.quadraticCurveTo(x + wide / 2, y + tall * 1.25, x + wide, y + tall * 0.55);
      ctx.lineTo(x + wide, y);
      ctx.fill();
      ctx.strokeStyle = css(palette.near, 0.28);
      ctx.lineWidth = unit * 2;
      ctx.beginPath();
      ctx.moveTo(x, y + tall * 0.55);
      ctx.quadraticCurveTo(x + wide / 2, y + tall * 1.25, x + wide, y + tall * 0.55);
      ctx.stroke();
    }
    y += tall * 0.8;
  }
}
