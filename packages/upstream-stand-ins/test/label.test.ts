import { createCanvas } from "@napi-rs/canvas";
import { expect, test } from "vitest";
import { paintLabel } from "../src/files.js";

const SIDE = 256;

function painted(maker: string): { corner: number; rest: number; pixels: string } {
  const canvas = createCanvas(SIDE, SIDE);
  paintLabel(canvas, maker);
  const context = canvas.getContext("2d");
  const count = (y: number, height: number) =>
    context.getImageData(0, y, SIDE, height).data.filter((value, index) => index % 4 === 3 && value > 0)
      .length;
  const pixels = context.getImageData(0, 0, SIDE, SIDE).data.join();
  return { corner: count(SIDE - 48, 48), rest: count(0, SIDE - 48), pixels };
}

test("the label stands in a lower corner only, and names the service", () => {
  const { corner, rest, pixels } = painted("fal");
  expect(corner).toBeGreaterThan(500);
  expect(rest).toBe(0);
  expect(painted("kie").pixels).not.toBe(pixels);
});
