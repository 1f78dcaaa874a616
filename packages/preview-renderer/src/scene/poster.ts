import { type Colour, colourOf, css, mix, tinted } from "../colour.js";
import type { Random } from "../random.js";
import { beginLayer, type Stage } from "../stage.js";
import type { TitlePlace } from "../type/title.js";

type Row = readonly [ground: string, ink: string, first: string, second: string, third: string];

const SCHEMES: readonly [Row, ...Row[]] = [
  ["#f4ead7", "#1d2733", "#e4572e", "#17807e", "#f3a712"],
  ["#14213d", "#fdf6e3", "#fca311", "#e5e5e5", "#3f6fb5"],
  ["#f7d9c4", "#3a1d32", "#c8385a", "#5b3a8c", "#f58f6c"],
  ["#0f4c4a", "#fbf3df", "#f2b544", "#e8705a", "#7cc6a4"],
  ["#e9eef2", "#1b2a49", "#2f6fd0", "#f0566a", "#9ad0ec"],
  ["#2b2140", "#fdeee4", "#ff7e6b", "#8a6fdf", "#ffd479"],
  ["#f2c43a", "#22201c", "#d8402f", "#22201c", "#fbf1d4"],
];

interface Scheme {
  ground: Colour;
  ink: Colour;
  /** Colours of the figure. */
  colours: readonly [Colour, Colour, Colour];
}

/** The part of a poster that its figure takes; the words have the rest. */
interface Panel {
  x: number;
  y: number;
  width: number;
  height: number;
}

type Sides = Pick<Stage, "width" | "height">;

function schemeOf({ scene, random }: Pick<Stage, "scene" | "random">): Scheme {
  const row = random.fork("scheme").pick(SCHEMES);
  const [ground, ink, ...colours] = row.map(colourOf) as [Colour, Colour, Colour, Colour, Colour];
  const [named] = scene.colours;
  if (!named) return { ground, ink, colours };
  return {
    ground: tinted(ground, named, 0.4),
    ink,
    colours: [named, colours[1], mix(named, colours[2], 0.5)],
  };
}

/** A poster without its words: a figure of plain shapes on a plain ground. */
export function paintPoster(stage: Stage): void {
  const { ctx, width, height } = stage;
  const scheme = schemeOf(stage);
  ctx.fillStyle = css(scheme.ground);
  ctx.fillRect(0, 0, width, height);
  beginLayer(stage, 0.4);
  const random = stage.random.fork("figure");
  const panel = panelOf(stage);
  stage.ctx.save();
  random.pick(FIGURES)(stage, panel, scheme, random);
  stage.ctx.restore();
}

/** Places the words of a poster, and chooses their colour. */
export function posterTitle(stage: Pick<Stage, "width" | "height" | "scene" | "random">): TitlePlace {
  const { width, height } = stage;
  const margin = Math.sqrt(width * height) * 0.075;
  const panel = panelOf(stage);
  const isBeside = panel.height === height;
  const box = isBeside
    ? { x: margin, y: margin, width: panel.x - margin * 1.6, height: height - margin * 2 }
    : { x: margin, y: panel.height + margin * 0.7, width: width - margin * 2, height: 0 };
  // The label stands below.
  if (!isBeside) box.height = height - box.y - margin * 1.15;
  return {
    ...box,
    align: "left",
    anchor: isBeside ? "middle" : "top",
    sizeMax: Math.min(width, height) * 0.24,
    ink: schemeOf(stage).ink,
  };
}

/** The right half of a wide poster, the upper half of another. */
function panelOf({ width, height }: Sides): Panel {
  if (width > height * 1.25) return { x: width * 0.58, y: 0, width: width * 0.42, height };
  return { x: 0, y: 0, width, height: height * 0.5 };
}

type Figure = (stage: Stage, panel: Panel, scheme: Scheme, random: Random) => void;

/** Quarters of circles, circles and half squares in a grid. */
const tiles: Figure = ({ ctx }, { x, y, width, height }, { colours, ink, ground }, random) => {
  const rows = Math.max(2, Math.round(height / Math.sqrt((width * height) / 10)));
  const side = height / rows;
  const columns = Math.ceil(width / side);
  const left = x + (width - columns * side) / 2;
  ctx.beginPath();
  ctx.rect(x, y, width, height);
  ctx.clip();
  const fills = [...colours, mix(ink, ground, 0.08)] as [Colour, ...Colour[]];
  for (let index = 0; index < columns * rows; index++) {
    const back = random.pick(fills);
    const front = random.pick(fills.filter((colour) => colour !== back) as [Colour, ...Colour[]]);
    ctx.save();
    ctx.translate(left + ((index % columns) + 0.5) * side, y + (Math.floor(index / columns) + 0.5) * side);
    ctx.scale(side / 2, side / 2);
    ctx.fillStyle = css(random.chance(0.4) ? ground : back);
    ctx.fillRect(-1.005, -1.005, 2.01, 2.01);
    ctx.rotate((random.whole(0, 3) * Math.PI) / 2);
    ctx.fillStyle = css(front);
    ctx.beginPath();
    const kind = random.whole(0, 3);
    if (kind === 0) ctx.arc(0, 0, 0.72, 0, Math.PI * 2);
    else if (kind === 1) ctx.arc(-1, 0, 1, -Math.PI / 2, Math.PI / 2);
    else {
      ctx.moveTo(-1, -1);
      if (kind === 2) ctx.arc(-1, -1, 2, 0, Math.PI / 2);
      else ctx.lineTo(1, 1);
      ctx.lineTo(-1, 1);
    }
    ctx.fill();
    ctx.restore();
  }
};

/** Rainbows of rings around a corner. */
const arcs: Figure = ({ ctx }, panel, { colours, ink, ground }, random) => {
  const { x, y, width, height } = panel;
  ctx.beginPath();
  ctx.rect(x, y, width, height);
  ctx.clip();
  const isLeft = height < width && random.chance(0.5);
  const centre = { x: isLeft ? x : x + width, y: y + (height > width ? height : 0) };
  const reach = Math.hypot(width, height) * 0.92;
  const rings = random.whole(6, 9);
  const fills = [colours[0], ground, colours[1], colours[2], ground, mix(ink, ground, 0.1)];
  for (let ring = 0; ring < rings; ring++) {
    ctx.fillStyle = css(fills[ring % fills.length] ?? ground);
    ctx.beginPath();
    ctx.arc(centre.x, centre.y, reach * (1 - ring / rings), 0, Math.PI * 2);
    ctx.fill();
  }
};

/** A large sun over hills that cross each other. */
const sun: Figure = ({ ctx }, { x, y, width, height }, { colours, ink, ground }, random) => {
  ctx.beginPath();
  ctx.rect(x, y, width, height);
  ctx.clip();
  const radius = Math.min(width, height) * random.between(0.27, 0.34);
  ctx.fillStyle = css(mix(ground, colours[2], 0.35));
  ctx.fillRect(x, y, width, height);
  ctx.fillStyle = css(colours[0]);
  ctx.beginPath();
  ctx.arc(x + width * random.between(0.34, 0.66), y + height * 0.46, radius, 0, Math.PI * 2);
  ctx.fill();
  for (const [index, colour] of [colours[2], colours[1], mix(ink, colours[1], 0.25)].entries()) {
    const base = y + height * (0.62 + index * 0.13);
    const [left, right] = [random.between(-0.16, 0.1), random.between(-0.16, 0.1)];
    ctx.fillStyle = css(colour);
    ctx.beginPath();
    ctx.moveTo(x, y + height);
    ctx.lineTo(x, base + left * height);
    ctx.bezierCurveTo(
      x + width * 0.35,
      base + (left - 0.2) * height,
      x + width * 0.6,
      base + (right + 0.2) * height,
      x + width,
      base + right * height,
    );
    ctx.lineTo(x + width, y + height);
    ctx.fill();
  }
};

/** Three discs that overlap as printed inks do. */
const discs: Figure = ({ ctx }, { x, y, width, height }, { colours, ground }, random) => {
  const radius = Math.min(width, height) * 0.36;
  const [middleX, middleY] = [x + width / 2, y + height / 2];
  const turn = random.next() * Math.PI;
  ctx.fillStyle = css(mix(ground, colours[1], 0.14));
  ctx.fillRect(x, y, width, height);
  for (const [index, colour] of colours.entries()) {
    const angle = turn + (index * Math.PI * 2) / 3;
    const [wide, tall] = [Math.max(radius * 0.55, width * 0.22), Math.max(radius * 0.3, height * 0.16)];
    ctx.fillStyle = css(colour, 0.86);
    ctx.beginPath();
    ctx.arc(middleX + Math.cos(angle) * wide, middleY + Math.sin(angle) * tall, radius, 0, Math.PI * 2);
    ctx.fill();
  }
};

const FIGURES: readonly [Figure, ...Figure[]] = [tiles, arcs, sun, discs];
