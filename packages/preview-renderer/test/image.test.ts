import { type Canvas, createCanvas } from "@napi-rs/canvas";
import { describe, expect, test } from "vitest";
import { paintImage } from "../src/image.js";
import { labelBox, paintLabel } from "../src/label.js";
import type { ParameterValue } from "../src/task.js";

function paint(prompt: string, parameters: Record<string, ParameterValue> = {}, seed = 7): Canvas {
  const request = { type: "image", model_key: "test", prompt, resolution: "0.3K", ...parameters } as const;
  return paintImage({ request, model: "test", seed }, []);
}

const bytes = (canvas: Canvas): Buffer => canvas.data();

describe("a painted picture", () => {
  test.each([
    ["море", "aspect_ratio", "9:16", 9 / 16],
    ["море", "aspect_ratio", "auto", 3 / 2],
    ["портрет девушки", "aspect_ratio", "auto", 3 / 4],
    ["qwerty", "aspect_ratio", "auto", 1],
  ])("%s with %s %s has the right shape", (prompt, key, value, ratio) => {
    const { width, height } = paint(prompt, { [key]: value });
    expect(width / height).toBeCloseTo(ratio, 1);
  });

  test.each([
    ...[
      "море",
      "лес",
      "город ночью",
      "горы",
      "пустыня",
      "озеро",
      "луг с цветами",
      "космос и ракета",
      "cat on the moon",
    ],
    ...[
      "abstract",
      "storm at sea with a lighthouse and whale",
      "зимний дом в тумане",
      "spring tree and butterfly",
    ],
    ...["portrait", "dog and person in the rain", "robot, red car", "castle, balloon, birds", "heart", ""],
  ])("%j fills the whole picture", (prompt) => {
    const data = bytes(paint(prompt));
    for (let offset = 3; offset < data.length; offset += 4 * 97) expect(data[offset]).toBe(255);
  });

  test("the same request and seed give the same pixels, another seed others", () => {
    const first = bytes(paint("ночной город, дождь"));
    expect(bytes(paint("ночной город, дождь")).equals(first)).toBe(true);
    expect(bytes(paint("ночной город, дождь", {}, 8)).equals(first)).toBe(false);
  });

  test("prompts without a known word differ from each other", () => {
    expect(bytes(paint("qwerty")).equals(bytes(paint("asdfgh")))).toBe(false);
  });

  test("quality mode paints another, more detailed picture than fast", () => {
    const sizes = ["fast", "quality"].map(
      (mode) =>
        paint("осенний лес", { generation_mode: mode, resolution: "1K" }).encodeSync("webp", 85).length,
    );
    expect(sizes[1]).toBeGreaterThan((sizes[0] ?? 0) * 1.1);
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
      expect(x >= box.x - 1 && x <= box.x + box.width && y >= box.y - 1 && y <= box.y + box.height).toBe(
        true,
      );
      changed++;
      brightest = Math.max(brightest, data[offset] ?? 0);
    }
    expect(changed).toBeGreaterThan(1000);
    expect(brightest).toBeGreaterThan(200);
    expect((box.width * box.height) / 1024 ** 2).toBeLessThan(0.01);
  });

  test("a picture carries the label", () => {
    const canvas = paint("море", { resolution: "1K", aspect_ratio: "1:1" });
    const { x, y, width, height } = labelBox(canvas.width, canvas.height);
    const { data } = canvas.getContext("2d").getImageData(x, y, width, height);
    let letters = 0;
    for (let offset = 0; offset < data.length; offset += 4) if ((data[offset] ?? 0) > 200) letters++;
    expect(letters).toBeGreaterThan(100);
  });
});
