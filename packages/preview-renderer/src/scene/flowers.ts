import { type Colour, colourOf, css, lighten, mix } from "../colour.js";
import type { Random } from "../random.js";
import { lit, type Stage } from "../stage.js";
import type { Line } from "./land.js";

type Kind = readonly [string, string];
const KINDS: readonly [Kind, ...Kind[]] = [
  ["#e5484d", "#f27a5e"],
  ["#f2a7c3", "#f7d2df"],
  ["#8e6bd0", "#b79ae6"],
  ["#f5c542", "#f79d3c"],
];

/** Flowers from the middle distance to large ones in front. */
export function paintFlowers(stage: Stage, line: Line, wanted: Colour | undefined): void {
  const { width, height, unit, isRich, scene } = stage;
  const random = stage.random.fork("flowers");
  const [first, second] = random.pick(KINDS).map((hex) => colourOf(hex)) as [Colour, Colour];
  const colours: readonly [Colour, Colour] = wanted ? [wanted, lighten(wanted, 0.12)] : [first, second];
  const isMain = scene.subjects.includes("flower");
  const rows = isMain ? 7 : 4;
  paintSpeckles(stage, line, colours, random);
  for (let row = 0; row < rows; row++) {
    const t = row / (rows - 1);
    const count = (width / unit / 1024) * (isRich ? 62 : 40) * (1 - t * 0.78);
    for (let index = 0; index < count; index++) {
      const x = random.next() * width;
      const ground = line(x) + (height - line(x)) * Math.min(1, t * 1.05 + random.between(0, 0.1)) + unit * 8;
      const tall = unit * (20 + (isMain ? 190 : 90) * t ** 1.6) * random.between(0.75, 1.15);
      paintFlower(stage, x, ground, tall, random.pick(colours), 0.55 + 0.45 * t, random);
    }
  }
}

/** Flowers too far away to have a shape. */
function paintSpeckles(stage: Stage, line: Line, colours: readonly [Colour, Colour], random: Random): void {
  const { ctx, width, unit, horizon, isRich } = stage;
  for (let index = 0; index < (width / unit / 1024) * (isRich ? 1500 : 800); index++) {
    const x = random.next() * width;
    const t = random.next() ** 0.6;
    const y = horizon + unit * 46 + t * Math.max(0, line(x) - horizon - unit * 40);
    ctx.fillStyle = css(
      mix(lit(stage, random.pick(colours), 0.35 + t * 0.5), stage.palette.haze, 0.2 * (1 - t)),
      0.8,
    );
    ctx.beginPath();
    ctx.ellipse(x, y, unit * (0.8 + 2.4 * t), unit * (0.5 + 1.3 * t), 0, 0, Math.PI * 2);
    ctx.fill();
  }
}

function paintFlower(
  stage: Stage,
  x: number,
  y: number,
  tall: number,
  own: Colour,
  depth: number,
  random: Random,
): void {
  const { ctx, palette, isRich } = stage;
  const lean = tall * random.between(-0.16, 0.16);
  const size = tall * random.between(0.17, 0.24);
  const green = mix(lit(stage, colourOf("#4d7f45"), depth), palette.near, 0.25);
  ctx.strokeStyle = css(green);
  ctx.lineWidth = Math.max(0.7 * stage.unit, tall * 0.02);
  ctx.beginPath();
  ctx.moveTo(x, y);
  ctx.quadraticCurveTo(x, y - tall * 0.6, x + lean, y - tall);
  ctx.stroke();
  ctx.fillStyle = css(green);
  ctx.beginPath();
  ctx.ellipse(x + lean * 0.3 + size * 0.5, y - tall * 0.4, size * 0.62, size * 0.17, -0.6, 0, Math.PI * 2);
  ctx.fill();
  // Petals keep more of their colour than the land does: they are what the eye looks for.
  const petal = mix(lit(stage, own, depth), own, 0.55);
  const count = size > 14 * stage.unit ? 6 : 5;
  for (const [scale, shade] of isRich
    ? ([
        [1, -0.07],
        [0.78, 0.02],
        [0.5, 0.1],
      ] as const)
    : ([
        [1, -0.03],
        [0.62, 0.06],
      ] as const)) {
    ctx.fillStyle = css(lighten(petal, shade));
    ctx.beginPath();
    const turn = random.next() * 2;
    for (let index = 0; index < count; index++) {
      const angle = turn + (index / count) * Math.PI * 2;
      const px = x + lean + Math.cos(angle) * size * 0.5 * scale;
      const py = y - tall + Math.sin(angle) * size * 0.36 * scale;
      ctx.moveTo(px + size * 0.46 * scale, py);
      ctx.ellipse(px, py, size * 0.5 * scale, size * 0.38 * scale, angle, 0, Math.PI * 2);
    }
    ctx.fill();
  }
  ctx.fillStyle = css(mix(colourOf("#3a2a2a"), palette.near, 0.4));
  ctx.beginPath();
  ctx.ellipse(x + lean, y - tall, size * 0.16, size * 0.12, 0, 0, Math.PI * 2);
  ctx.fill();
}
