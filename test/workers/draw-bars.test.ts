import { fileURLToPath } from "node:url";
import { createCanvas, loadImage } from "@napi-rs/canvas";
import { expect, test } from "vitest";
import { drawInProcess } from "../../src/workers/chart-process.js";
import { drawBars } from "../../src/workers/draw-bars.js";

const workerFile = fileURLToPath(new URL("../../dist/workers/chart-worker.js", import.meta.url));

/** Counts the pixels of each colour. */
async function colors(png: Uint8Array): Promise<Map<string, number>> {
  const image = await loadImage(Buffer.from(png));
  const context = createCanvas(image.width, image.height).getContext("2d");
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, image.width, image.height);
  const found = new Map<string, number>();
  for (let at = 0; at < data.length; at += 4) {
    const color = data.subarray(at, at + 3).join();
    found.set(color, (found.get(color) ?? 0) + 1);
  }
  return found;
}

const BLUE = "51,144,236";
const RED = "229,83,61";

test("columns are as high as their values, and what is marked has its own colour", async () => {
  const found = await colors(
    drawBars([
      { value: 100, marked: 0 },
      { value: 100, marked: 50 },
      { value: 0, marked: 0 },
    ]),
  );
  expect((found.get(BLUE) ?? 0) / (found.get(RED) ?? 1)).toBeCloseTo(3, 0);
});

test("no column at all is a picture too", async () => {
  expect((await colors(drawBars([]))).has(BLUE)).toBe(false);
  expect((await colors(drawBars([{ value: 0, marked: 0 }]))).has(BLUE)).toBe(false);
});

test("a child process draws the same picture, and one that fails rejects", async () => {
  const bars = [{ value: 5, marked: 1 }];
  expect(Buffer.from(await drawInProcess(bars, workerFile))).toEqual(drawBars(bars));
  await expect(drawInProcess([], "no-such-file.js")).rejects.toThrow();
});
