import { type Canvas, createCanvas } from "@napi-rs/canvas";
import { describe, expect, test } from "vitest";
import { paintImage } from "../src/image.js";
import type { ParameterValue } from "../src/task.js";
import { labelBox, paintLabel } from "../src/type.js";

function paint(prompt: string, parameters: Record<string, ParameterValue> = {}, seed = 7): Canvas {
  const request = { type: "image", model_key: "test", prompt, resolution: "0.3K", ...parameters } as const;
  return paintImage({ request, model: "test", seed }, []);
}

const bytes = (canvas: Canvas): Buffer => canvas.data();

const SEEDS = [1, 2, 3, 4];

describe("a painted picture", () => {
  test.each([
    ["9:16", 9 / 16],
    ["21:9", 21 / 9],
    ["auto", 1],
  ])("of %s has the right shape and is filled for every seed", (aspect_ratio, ratio) => {
    for (const seed of SEEDS) {
      const canvas = paint("море", { aspect_ratio }, seed);
      expect(canvas.width / canvas.height).toBeCloseTo(ratio, 1);
      const data = bytes(canvas);
      for (let offset = 3; offset < data.length; offset += 4 * 97) expect(data[offset]).toBe(255);
    }
  });

  test("the same request and seed give the same pixels, another seed or words others", () => {
    const first = bytes(paint("ночной город, дождь"));
    expect(bytes(paint("ночной город, дождь")).equals(first)).toBe(true);
    expect(bytes(paint("ночной город, дождь", {}, 8)).equals(first)).toBe(false);
    expect(bytes(paint("ночной город, снег")).equals(first)).toBe(false);
  });

  test.each([
    ["nothing", ""],
    ["emoji alone", "🦊🔥👩‍👩‍👧‍👦🏳️‍🌈"],
    ["right to left", "שלום עולם مرحبا بالعالم"],
    ["Chinese", "你好，世界"],
    ["control characters", "\u0000\u001b[31m\u202e\ufeff\ud800"],
    ["20 000 letters of one word", "ы".repeat(20_000)],
    ["20 000 characters of words", "закат над морем, ".repeat(1200)],
    ["20 000 quotation marks", `"«'`.repeat(6700)],
    ["combining marks", `z${"\u0301".repeat(5000)}`],
    ["one letter", "я"],
    ["a path", "/etc/passwd <script>alert(1)</script>"],
  ])("%s makes a picture in no long time", (_what, prompt) => {
    const start = process.cpuUsage();
    for (const aspect_ratio of ["1:1", "20:1", "1:20"]) {
      const canvas = paint(prompt, { aspect_ratio });
      expect(canvas.encodeSync("webp", 85).length).toBeGreaterThan(500);
    }
    expect(process.cpuUsage(start).user / 1000).toBeLessThan(6000);
  });

  test("a picture of 4K is made from one layer", () => {
    const before = process.memoryUsage().rss;
    paint("горы", { resolution: "4K" });
    expect(process.memoryUsage().rss - before).toBeLessThan(500 * 1024 ** 2);
  });

  test("the label stands in the lower right corner, small and readable", () => {
    const canvas = createCanvas(1024, 1024);
    const ctx = canvas.getContext("2d");
    ctx.fillStyle = "#808080";
    ctx.fillRect(0, 0, 1024, 1024);
    paintLabel(ctx, 1024, 1024);
    const box = labelBox(1024, 1024);
    let changed = 0;
    let brightest = 0;
    const { data } = ctx.getImageData(0, 0, 1024, 1024);
    for (let offset = 0; offset < data.length; offset += 4) {
      if (data[offset] === 128) continue;
      const [x, y] = [(offset / 4) % 1024, Math.floor(offset / 4 / 1024)];
      const isInside = x >= box.x - 1 && x <= box.x + box.width && y >= box.y - 1 && y <= box.y + box.height;
      expect(isInside).toBe(true);
      changed++;
      brightest = Math.max(brightest, data[offset] ?? 0);
    }
    expect(changed).toBeGreaterThan(1000);
    expect(brightest).toBeGreaterThan(200);
    expect((box.width * box.height) / 1024 ** 2).toBeLessThan(0.01);
  });
});
