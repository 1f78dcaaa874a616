import { Path2D, type SKRSContext2D } from "@napi-rs/canvas";
import { type Colour, colourOf, css, lighten, mix } from "../colour.js";
import { type Stage, vertical } from "../stage.js";
import { enter, type Spot } from "./figures.js";

/** A dish keeps most of its own colour in any light. */
const LEAST = 0.8;

type Painter = (
  ctx: SKRSContext2D,
  shown: (own: Colour | string, by?: number) => string,
  stage: Stage,
) => void;

/** Paints in the box of a spot, on a soft shadow. `shown` gives the colour that a thing has in the light. */
const dish =
  (paint: Painter) =>
  (stage: Stage, spot: Spot): void => {
    const { ctx, palette } = stage;
    enter(stage, spot);
    ctx.save();
    ctx.translate(50, 97);
    ctx.scale(62, 9);
    const shadow = ctx.createRadialGradient(0, 0, 0, 0, 0, 1);
    shadow.addColorStop(0, css(palette.near, 0.5));
    shadow.addColorStop(1, css(palette.near, 0));
    ctx.fillStyle = shadow;
    ctx.fillRect(-1, -1, 2, 2);
    ctx.restore();
    const shown = (own: Colour | string, by = 0): string =>
      css(lighten(mix(palette.near, typeof own === "string" ? colourOf(own) : own, LEAST), by));
    paint(ctx, shown, stage);
    ctx.restore();
  };

function ellipse(ctx: SKRSContext2D, x: number, y: number, rx: number, ry: number, fill: string): void {
  ctx.fillStyle = fill;
  ctx.beginPath();
  ctx.ellipse(x, y, rx, ry, 0, 0, Math.PI * 2);
  ctx.fill();
}

function steam({ ctx, palette }: Stage, y: number): void {
  ctx.strokeStyle = css(palette.light, 0.42);
  ctx.lineCap = "round";
  ctx.lineWidth = 2.6;
  for (const x of [38, 50, 62]) {
    ctx.beginPath();
    ctx.moveTo(x, y);
    ctx.bezierCurveTo(x - 8, y - 9, x + 8, y - 16, x, y - 27);
    ctx.stroke();
  }
}

/** A layered cake with cream, berries and candles, on a stand. */
export const paintCake = dish((ctx, shown, stage) => {
  const random = stage.random.fork("cake");
  const cream = random.pick(["#fbeee6", "#f7cdd6", "#6b4030"]);
  const sponge = random.pick(["#e9bd7e", "#7c4a34", "#f0d9a8"]);
  ellipse(ctx, 50, 93, 45, 6.5, shown("#f7f4ee", -0.04));
  ctx.fillStyle = shown("#f7f4ee", -0.1);
  ctx.fillRect(42, 92, 16, 8);
  ellipse(ctx, 50, 91.6, 45, 6, shown("#f7f4ee"));
  for (const [index, [y, tall]] of (
    [
      [48, 42],
      [62, 6],
      [75, 6],
    ] as const
  ).entries()) {
    ctx.fillStyle = index === 0 ? shown(sponge) : shown(cream);
    ctx.beginPath();
    ctx.rect(16, y, 68, tall);
    ctx.ellipse(50, y + tall, 34, 4.6, 0, 0, Math.PI);
    ctx.fill();
  }
  ctx.fillStyle = shown(cream, -0.03);
  ctx.fill(
    new Path2D(
      "M16 46 V58 C16 64 22 64 22 58 C22 55 27 55 27 60 C27 70 34 70 34 61 C34 56 40 56 40 61 C40 66 46 66 46 60 C46 56 52 56 52 62 C52 72 59 72 59 62 C59 57 65 57 65 60 C65 66 71 66 71 60 C71 56 77 56 77 60 C77 66 84 66 84 58 V46 Z",
    ),
  );
  ellipse(ctx, 50, 46, 34, 6, shown(cream, 0.03));
  for (let index = 0; index < 5; index++) {
    const x = 30 + index * 10;
    const y = 46 + (index % 2 === 0 ? -1.4 : 1.8);
    ctx.fillStyle = shown(["#e86a6a", "#5a9bd8", "#f2c14e", "#7bbf7a", "#b47cc7"][index] ?? "#e86a6a");
    ctx.fillRect(x - 1.2, y - 19, 2.4, 19);
    ctx.shadowColor = "rgba(255,180,70,0.95)";
    ctx.shadowBlur = 22;
    ctx.fillStyle = "#ffd873";
    ctx.fill(
      new Path2D(
        `M${x} ${y - 29} C${x + 3.4} ${y - 24} ${x + 2.4} ${y - 20} ${x} ${y - 20} C${x - 2.4} ${y - 20} ${x - 3.4} ${y - 24} ${x} ${y - 29} Z`,
      ),
    );
    ctx.shadowBlur = 0;
  }
  for (let index = 0; index < 7; index++) {
    const angle = (index / 6) * Math.PI;
    ellipse(ctx, 50 - Math.cos(angle) * 30, 46 + Math.sin(angle) * 4.4, 3, 3, shown("#c8283c"));
  }
});

/** A pizza with a slice drawn out, on a board. */
export const paintPizza = dish((ctx, shown, stage) => {
  const random = stage.random.fork("pizza");
  ellipse(ctx, 50, 76, 62, 23, shown("#8a5a38"));
  ellipse(ctx, 50, 73.6, 62, 23, shown("#b07a4c"));
  for (const [aside, from, to] of [
    [0, 0.42, 2 * Math.PI + 0.02],
    [1, 0.02, 0.42],
  ] as const) {
    ctx.save();
    ctx.translate(50 + aside * 9, 68 + aside * 3.2);
    ctx.scale(1, 0.37);
    for (const [radius, down, colour] of [
      [52, 8, shown("#a8632e")],
      [52, 0, shown("#d9994e")],
      [45.5, 0, shown("#c5402b")],
      [44, -1, shown("#f5c95c")],
    ] as const) {
      ctx.fillStyle = colour;
      ctx.beginPath();
      ctx.moveTo(0, down);
      ctx.arc(0, down, radius, from, to);
      ctx.fill();
    }
    ctx.restore();
  }
  for (let index = 0; index < 13; index++) {
    const angle = index * 2.4 + 0.7;
    const reach = 40 * Math.sqrt((index + 0.6) / 13.4);
    const [x, y] = [50 + Math.cos(angle) * reach, 68 + Math.sin(angle) * reach * 0.37];
    if (index % 3 === 2) {
      ctx.fillStyle = shown("#4f8f3d");
      ctx.save();
      ctx.translate(x, y);
      ctx.rotate(random.next() * 3);
      ctx.fill(new Path2D("M-5 0 C-2 -4 2 -4 5 0 C2 3 -2 3 -5 0 Z"));
      ctx.restore();
      continue;
    }
    ellipse(ctx, x, y + 0.6, 6, 2.9, shown("#9c2c22"));
    ellipse(ctx, x, y, 6, 2.8, shown("#d04a36"));
  }
  steam(stage, 50);
});

/** A burger with everything. */
export const paintBurger = dish((ctx, shown) => {
  const layer = (path: string, fill: string): void => {
    ctx.fillStyle = fill;
    ctx.fill(new Path2D(path));
  };
  layer("M12 84 H88 C89 94 84 99 76 99 H24 C16 99 11 94 12 84 Z", shown("#d08a42"));
  layer("M8 74 H92 C96 76 96 84 91 86 H9 C4 84 4 76 8 74 Z", shown("#5a3120"));
  layer("M9 72 L91 72 L80 78 L66 73 L54 84 L42 73 L26 79 Z", shown("#f7b733"));
  layer("M14 63 H86 C90 64 90 71 86 72 H14 C10 71 10 64 14 63 Z", shown("#d8402f"));
  layer(
    "M6 60 C12 54 88 54 94 60 C97 66 90 68 86 64 C82 70 74 70 70 65 C66 70 58 70 54 65 C50 70 42 70 38 65 C34 70 26 70 22 65 C18 69 10 69 6 60 Z",
    shown("#6fae3f"),
  );
  ctx.fillStyle = vertical(ctx, 22, 60, [
    [0, shown("#f0b25c", 0.04)],
    [1, shown("#c97f38")],
  ]);
  ctx.fill(new Path2D("M10 58 C8 34 28 22 50 22 C72 22 92 34 90 58 C90 60 10 60 10 58 Z"));
  for (const [x, y, turn] of [
    [34, 34, 0.4],
    [48, 29, -0.2],
    [62, 34, 0.7],
    [26, 44, -0.5],
    [44, 41, 0.9],
    [58, 44, -0.7],
    [74, 43, 0.3],
  ] as const) {
    ctx.fillStyle = shown("#fdf0cf");
    ctx.beginPath();
    ctx.ellipse(x, y, 2.6, 1.4, turn, 0, Math.PI * 2);
    ctx.fill();
  }
});

/** A cup on its saucer. */
export const paintCoffee = dish((ctx, shown, stage) => {
  const random = stage.random.fork("cup");
  const cup = stage.scene.colours[0] ?? colourOf(random.pick(["#f6f1e7", "#d9694f", "#3f7f8c", "#e3b04b"]));
  ellipse(ctx, 50, 92, 46, 7.5, shown(lighten(cup, -0.09)));
  ellipse(ctx, 50, 90.4, 46, 7, shown(cup));
  ellipse(ctx, 50, 90, 25, 3.6, shown(lighten(cup, -0.12)));
  ctx.strokeStyle = shown(lighten(cup, -0.05));
  ctx.lineWidth = 5;
  ctx.beginPath();
  ctx.ellipse(81, 62, 11, 12, 0.2, -1.7, 1.9);
  ctx.stroke();
  const side = ctx.createLinearGradient(20, 0, 80, 0);
  side.addColorStop(0, shown(lighten(cup, 0.03)));
  side.addColorStop(1, shown(lighten(cup, -0.12)));
  ctx.fillStyle = side;
  ctx.fill(new Path2D("M18 46 C18 70 26 88 38 91 H62 C74 88 82 70 82 46 Z"));
  ellipse(ctx, 50, 46, 32, 7.4, shown(lighten(cup, 0.05)));
  ellipse(ctx, 50, 47, 28.6, 5.8, shown("#5b3524"));
  ellipse(ctx, 50, 47.4, 18, 3.4, shown("#c99566"));
  ctx.fillStyle = shown("#f4e3cc");
  ctx.fill(
    new Path2D(
      "M50 50.4 C43 48 41 46.6 43.4 45.4 C46 44.4 49 45.4 50 46.6 C51 45.4 54 44.4 56.6 45.4 C59 46.6 57 48 50 50.4 Z",
    ),
  );
  steam(stage, 36);
});

/** A bowl of fruit. */
export const paintFruit = dish((ctx, shown) => {
  const apple = (x: number, y: number, size: number, hex: string): void => {
    ctx.save();
    ctx.translate(x, y);
    ctx.scale(size, size);
    const skin = ctx.createRadialGradient(-6, -6, 2, 0, 0, 22);
    skin.addColorStop(0, shown(hex, 0.12));
    skin.addColorStop(0.5, shown(hex));
    skin.addColorStop(1, shown(hex, -0.1));
    ctx.fillStyle = skin;
    ctx.fill(
      new Path2D(
        "M0 -14 C10 -21 22 -13 20 1 C18 14 9 20 0 16.6 C-9 20 -18 14 -20 1 C-22 -13 -10 -21 0 -14 Z",
      ),
    );
    ctx.strokeStyle = shown("#5a3b22");
    ctx.lineWidth = 1.8;
    ctx.stroke(new Path2D("M0 -13 C0 -18 2 -21 4 -23"));
    ctx.fillStyle = shown("#5c9a45");
    ctx.fill(new Path2D("M2 -17 C6 -25 14 -25 17 -22 C14 -16 7 -14 2 -17 Z"));
    ctx.restore();
  };
  apple(50, 36, 0.95, "#d3392f");
  apple(24, 54, 0.9, "#e9a23a");
  apple(76, 54, 0.9, "#8fb944");
  apple(50, 58, 1, "#c83036");
  ctx.fillStyle = vertical(ctx, 62, 98, [
    [0, shown("#5f8fb0", 0.05)],
    [1, shown("#39647f")],
  ]);
  ctx.fill(new Path2D("M0 62 C4 84 22 96 36 98 H64 C78 96 96 84 100 62 C80 68 20 68 0 62 Z"));
});

/** A bowl of hot soup with noodles, an egg and greens. */
export const paintBowl = dish((ctx, shown, stage) => {
  ctx.lineCap = "round";
  ctx.fillStyle = vertical(ctx, 56, 98, [
    [0, shown("#c24a3c", 0.03)],
    [1, shown("#7f2b2a")],
  ]);
  ctx.fill(new Path2D("M0 58 C2 82 22 96 34 98 H66 C78 96 98 82 100 58 Z"));
  ctx.fillStyle = shown("#f0dcc0");
  ctx.fill(new Path2D("M4.6 72 C30 79 70 79 95.4 72 L94 76.6 C70 83 30 83 6 76.6 Z"));
  ellipse(ctx, 50, 58, 50, 13, shown("#d65a48"));
  ellipse(ctx, 50, 59, 45.6, 10.8, shown("#d79a45"));
  ctx.strokeStyle = shown("#f7dc98");
  ctx.lineWidth = 2;
  for (const [x, y] of [
    [24, 60],
    [27, 63.6],
    [31, 57],
    [36, 65],
  ] as const) {
    ctx.beginPath();
    ctx.moveTo(x - 8, y);
    ctx.bezierCurveTo(x, y - 5, x + 8, y + 5, x + 17, y);
    ctx.stroke();
  }
  ellipse(ctx, 66, 56.6, 12, 6, shown("#fdf6ea"));
  ellipse(ctx, 66, 56.8, 6.4, 3.2, shown("#f3a32c"));
  for (const [x, y] of [
    [48, 53],
    [52, 64.4],
    [40, 54],
    [79, 62],
    [58, 66],
  ] as const) {
    ellipse(ctx, x, y, 3, 1.5, shown("#5fa044"));
    ellipse(ctx, x, y, 1.4, 0.7, shown("#a7d07a"));
  }
  ctx.strokeStyle = shown("#6b4028");
  ctx.lineWidth = 2.6;
  ctx.stroke(new Path2D("M70 57 L112 30 M76 60 L116 35"));
  steam(stage, 42);
});
