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

const GREY = "112,117,121";
const column = (value: number, marked = 0, label = "") => ({ value, marked, label });

test("columns are as high as their values, and what is marked has its own colour", async () => {
  const found = await colors(drawBars({ highest: "", columns: [column(100), column(100, 50), column(0)] }));
  expect((found.get(BLUE) ?? 0) / (found.get(RED) ?? 1)).toBeCloseTo(3, 0);
  expect(found.has(GREY)).toBe(false);
});

test("the highest sum and the labels are written in digits, each of its own dots", async () => {
  const dots = async (highest: string, label: string) =>
    ((await colors(drawBars({ highest, columns: [column(1, 0, label)] }))).get(GREY) ?? 0) / 16;
  expect(await Promise.all([..."0123456789"].map((digit) => dots(digit, "")))).toEqual([
    ...[12, 8, 11, 11, 9, 11, 12, 7, 13, 12],
  ]);
  expect(await dots("419", "23")).toBe(9 + 8 + 12 + 11 + 11);
});

test("no column at all is a picture too", async () => {
  expect((await colors(drawBars({ highest: "0", columns: [] }))).has(BLUE)).toBe(false);
  expect((await colors(drawBars({ highest: "0", columns: [column(0)] }))).has(BLUE)).toBe(false);
});

test("a child process draws the same picture, and one that fails rejects", async () => {
  const chart = { highest: "5", columns: [column(5, 1, "12")] };
  expect(Buffer.from(await drawInProcess(chart, workerFile))).toEqual(drawBars(chart));
  await expect(drawInProcess(chart, "no-such-file.js")).rejects.toThrow();
});
