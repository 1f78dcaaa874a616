import { type Canvas, createCanvas } from "@napi-rs/canvas";
import { describe, expect, test } from "vitest";
import { paintImage, paintScene } from "../src/image.js";
import { sceneOf } from "../src/words.js";

function paint(prompt: string, resolution = "0.5K"): Canvas {
  const request = { type: "image", model_key: "t", prompt, resolution, aspect_ratio: "1:1" } as const;
  return paintImage({ request, model: "t", seed: 7 }, []);
}

/** The lightness of each pixel, 0 to 255. */
function lights(canvas: Canvas, x = 0, y = 0, width = canvas.width, height = canvas.height): number[] {
  const { data } = canvas.getContext("2d").getImageData(x, y, width, height);
  return Array.from({ length: width * height }, (_, index) => data[index * 4 + 1] ?? 0);
}

const shareOf = (values: readonly number[], test: (value: number) => boolean): number =>
  values.filter(test).length / values.length;

describe("a style", () => {
  test.each(["oil painting", "watercolor", "pixel art", "outline drawing"])(
    "%s renders the image another way, the same each time",
    (style) => {
      const first = paint(`a fox, ${style}`).data();
      expect(paint(`a fox, ${style}`).data().equals(first)).toBe(true);
      for (let offset = 3; offset < first.length; offset += 4 * 97) expect(first[offset]).toBe(255);
    },
  );

  test("pixel art has large pixels of one colour each", () => {
    const canvas = paint("a fox, pixel art");
    const cell = canvas.width / 128;
    for (let index = 0; index < 100; index++) {
      const [column, row] = [index, (index * 37) % 110];
      expect(new Set(lights(canvas, column * cell, row * cell, cell, cell)).size).toBe(1);
    }
  });

  test("an outline is ink on paper", () => {
    const values = lights(paint("a castle, outline"));
    expect(shareOf(values, (light) => light > 235)).toBeGreaterThan(0.6);
    expect(shareOf(values, (light) => light < 90)).toBeGreaterThan(0.01);
  });

  test("watercolour leaves the paper border blank", () => {
    const canvas = paint("a fox in the forest at night, watercolor");
    const border = lights(canvas, 0, 0, canvas.width, 3);
    expect(shareOf(border, (light) => light > 225)).toBeGreaterThan(0.8);
  });

  test.each(["oil painting", "watercolor", "pixel art"])(
    "%s keeps the large shapes of the image",
    (style) => {
      const prompt = `a fox in the forest, ${style}`;
      const task = { request: { type: "image", model_key: "t", prompt }, model: "t", seed: 7 } as const;
      const scene = sceneOf(prompt);
      const [plain = [], styled = []] = [{ ...scene, style: undefined }, scene].map((each) => {
        const canvas = paintScene({
          task,
          scene: each,
          width: 256,
          height: 256,
          isRich: false,
          references: [],
        });
        const coarse = createCanvas(8, 8);
        coarse.getContext("2d").drawImage(canvas, 0, 0, 8, 8);
        return lights(coarse);
      });
      const differences = plain.map((light, index) => Math.abs(light - (styled[index] ?? 0)));
      expect(differences.reduce((sum, difference) => sum + difference, 0) / differences.length).toBeLessThan(
        40,
      );
    },
  );
});
