import { type Canvas, createCanvas } from "@napi-rs/canvas";
import { describe, expect, test } from "vitest";
import { paintImage } from "../src/image.js";
import type { ParameterValue } from "../src/task.js";
import { labelBox, noteBox } from "../src/type.js";

type Pixel = readonly [red: number, green: number, blue: number];

/** A picture of one colour at its left and another at its right. */
function halves(left: string, right: string, width = 312, height = 312): Canvas {
  const canvas = createCanvas(width, height);
  const ctx = canvas.getContext("2d");
  ctx.fillStyle = left;
  ctx.fillRect(0, 0, width / 2, height);
  ctx.fillStyle = right;
  ctx.fillRect(width / 2, 0, width / 2, height);
  return canvas;
}

const PHOTO = halves("#c86432", "#3264a0");

function edited(
  prompt: string,
  references: readonly Canvas[] = [PHOTO],
  parameters: Record<string, ParameterValue> = {},
): Canvas {
  const request = {
    type: "image",
    model_key: "t",
    prompt,
    aspect_ratio: "auto",
    resolution: "0.3K",
    ...parameters,
  } as const;
  return paintImage({ request, model: "t", seed: 7 }, references);
}

/** The mean colour around a place, given as shares of the sides. */
function at(canvas: Canvas, x: number, y: number): Pixel {
  const side = 9;
  const ctx = canvas.getContext("2d");
  const { data } = ctx.getImageData(x * canvas.width - side / 2, y * canvas.height - side / 2, side, side);
  const mean = (channel: number): number =>
    Array.from({ length: side * side }, (_, index) => data[index * 4 + channel] ?? 0).reduce(
      (a, b) => a + b,
    ) /
    (side * side);
  return [mean(0), mean(1), mean(2)];
}

const [LEFT, RIGHT] = [
  [200, 100, 50],
  [50, 100, 160],
] as const;
const light = ([red, green, blue]: Pixel): number => 0.3 * red + 0.59 * green + 0.11 * blue;
const left = (canvas: Canvas): Pixel => at(canvas, 0.25, 0.4);
const right = (canvas: Canvas): Pixel => at(canvas, 0.75, 0.4);

function expectColour(seen: Pixel, wanted: Pixel): void {
  for (const channel of [0, 1, 2] as const) expect(Math.abs(seen[channel] - wanted[channel])).toBeLessThan(4);
}

describe("an edited picture", () => {
  test.each(["сделай чёрно-белым", "black and white"])(
    "%s has no colours, and its own lightness",
    (prompt) => {
      const canvas = edited(prompt);
      for (const [seen, own] of [
        [left(canvas), LEFT],
        [right(canvas), RIGHT],
      ] as const) {
        expect(Math.max(...seen) - Math.min(...seen)).toBeLessThan(3);
        expect(Math.abs(light(seen) - light(own))).toBeLessThan(8);
      }
    },
  );

  const isBrown = ([red, green, blue]: Pixel) => red > green + 5 && green > blue + 5;
  const warmth = ([red, , blue]: Pixel) => red - blue;

  test.each<[prompt: string, isSo: (left: Pixel, right: Pixel) => boolean]>([
    ["сепия", (onLeft, onRight) => isBrown(onLeft) && isBrown(onRight)],
    ["сделай ночь", (onLeft) => light(onLeft) < light(LEFT) * 0.6 && light(onLeft) > 12],
    ["сделай ночь", (_, [red, , blue]) => blue > red + 20],
    ["ярче", (onLeft) => light(onLeft) > light(LEFT) + 15],
    ["make it darker", (onLeft) => light(onLeft) < light(LEFT) - 15],
    ["warmer", (_, onRight) => warmth(onRight) > warmth(RIGHT) + 20],
    ["сделай холоднее", (onLeft) => warmth(onLeft) < warmth(LEFT) - 20],
  ])("%s changes the colours as it says, and the picture is still seen", (prompt, isSo) => {
    const canvas = edited(prompt);
    expect(isSo(left(canvas), right(canvas))).toBe(true);
  });

  test("a mirrored picture has its sides exchanged", () => {
    const canvas = edited("отзеркаль");
    expectColour(left(canvas), RIGHT);
    expectColour(right(canvas), LEFT);
  });

  test("a blurred picture has a soft edge and the same colours", () => {
    const canvas = edited("размой");
    expectColour(at(canvas, 0.1, 0.4), LEFT);
    const [red] = at(canvas, 0.512, 0.4);
    expect(red).toBeGreaterThan(70);
    expect(red).toBeLessThan(180);
  });

  test("a text stands on the picture, which is else the same", () => {
    const canvas = edited("напиши «ПРИВЕТ»");
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height * 0.4);
    let letters = 0;
    for (let offset = 0; offset < data.length; offset += 4) {
      const pixel = [data[offset] ?? 0, data[offset + 1] ?? 0, data[offset + 2] ?? 0] as const;
      if (light(pixel) > 225 || light(pixel) < 35) letters++;
    }
    expect(letters).toBeGreaterThan(300);
    expectColour(at(canvas, 0.25, 0.7), LEFT);
  });

  test.each([
    "добавь красный шарф",
    "a fox in the forest",
    "замени фон на очень длинное описание ".repeat(20),
  ])("%j leaves all as it was but the note and the label", (prompt) => {
    const canvas = edited(prompt);
    const plain = edited("");
    const note = noteBox(canvas.width, canvas.height);
    const label = labelBox(canvas.width, canvas.height);
    expect(note.x + note.width).toBeLessThan(label.x);
    const [seen, own] = [canvas, plain].map((each) => each.data());
    let changed = 0;
    for (let index = 0; index < canvas.width * canvas.height; index++) {
      if (seen?.[index * 4] === own?.[index * 4]) continue;
      const [x, y] = [index % canvas.width, Math.floor(index / canvas.width)];
      expect(x >= note.x - 1 && x <= note.x + note.width && y >= note.y - 1).toBe(true);
      changed++;
    }
    expect(changed).toBeGreaterThan(200);
    expectColour(left(plain), LEFT);
    expectColour(right(plain), RIGHT);
  });

  test("several pictures are a collage of tiles, each with its own colours", () => {
    const colours = ["#c83232", "#32c832", "#3232c8", "#c8c832"];
    const canvas = edited(
      "сделай коллаж",
      colours.map((colour) => halves(colour, colour)),
    );
    expectColour(at(canvas, 0.25, 0.25), [200, 50, 50]);
    expectColour(at(canvas, 0.75, 0.25), [50, 200, 50]);
    expectColour(at(canvas, 0.25, 0.75), [50, 50, 200]);
    expectColour(at(canvas, 0.75, 0.75), [200, 200, 50]);
    expectColour(at(canvas, 0.47, 0.25), [200, 50, 50]);
  });
});
