import { createCanvas } from "@napi-rs/canvas";
import { describe, expect, test } from "vitest";
import { paintImage } from "../src/image.js";
import { fontOf } from "../src/type/fonts.js";
import { fitLines, LEADING } from "../src/type/lines.js";
import { paintTitle } from "../src/type/title.js";

const measure = (text: string): number => text.length * 0.6;
const box = { width: 600, height: 300, sizeMax: 120 };
const SENTENCE = "Открытие новой кофейни на углу двух старых улиц";

describe("the lines of a title", () => {
  test.each(["Зерно", "Happy Birthday", SENTENCE, "a".repeat(90)])(
    "fill the box with %s and stay inside",
    (text) => {
      const { lines, size } = fitLines([text], measure, box);
      expect(Math.max(...lines.map(measure)) * size).toBeLessThanOrEqual(box.width);
      expect(lines.length * LEADING * size).toBeLessThanOrEqual(box.height);
      expect(lines.join(" ").replaceAll("\u00a0", " ").replaceAll(" ", "")).toBe(text.replaceAll(" ", ""));
      const larger = size * 1.02;
      const isFull =
        size === box.sizeMax || fitLines([text], measure, { ...box, sizeMax: larger }).size < larger;
      expect(isFull).toBe(true);
    },
  );

  test("never end with a short word, and have about the same length", () => {
    const { lines } = fitLines(["Скидки до конца лета и ещё на неделю в подарок"], measure, box);
    expect(lines.length).toBeGreaterThan(2);
    for (const line of lines) expect(line).not.toMatch(/[\s\u00a0]\p{L}{1,2}$/u);
    const widths = lines.map(measure);
    expect(Math.min(...widths)).toBeGreaterThan(Math.max(...widths) * 0.35);
  });

  test("keep separate texts on separate lines", () => {
    expect(fitLines(["Лето", "Зима"], measure, box).lines).toEqual(["Лето", "Зима"]);
  });
});

describe("a rendered title", () => {
  test("has every letter of Latin and Cyrillic in the shipped font", () => {
    const ctx = createCanvas(400, 80).getContext("2d");
    const inked = (letter: string): string => {
      ctx.clearRect(0, 0, 400, 80);
      ctx.font = fontOf(800, 40);
      ctx.fillText(letter, 10, 50);
      return ctx.canvas.data().toString("base64");
    };
    const missing = inked("\u{10ffff}");
    for (const letter of "ЁёЪъЩщЖжЯяҐїÀßőŁñAaZz")
      expect([letter, inked(letter) === missing]).toEqual([letter, false]);
  });

  test.each(["#ffffff", "#000000", "#7f7f7f", "#f2c43a", "#14213d", "checks"])(
    "is legible on %s",
    (ground) => {
      const canvas = createCanvas(600, 400);
      const ctx = canvas.getContext("2d");
      ctx.fillStyle = ground === "checks" ? "#ffffff" : ground;
      ctx.fillRect(0, 0, 600, 400);
      ctx.fillStyle = "#000000";
      for (let x = 0; ground === "checks" && x < 600; x += 20) ctx.fillRect(x, 0, 10, 400);
      const place = {
        x: 50,
        y: 50,
        width: 500,
        height: 300,
        align: "center",
        anchor: "middle",
        sizeMax: 120,
      } as const;
      const { x, y, width, height } = paintTitle(ctx, ["Зерно"], place);
      expect(x >= 49 && y >= 49 && x + width <= 551 && y + height <= 351).toBe(true);
      const { data } = ctx.getImageData(Math.round(x), Math.round(y), Math.round(width), Math.round(height));
      const lights = Array.from({ length: data.length / 4 }, (_, index) => data[index * 4 + 1] ?? 0).sort(
        (a, b) => a - b,
      );
      const at = (share: number): number => lights[Math.floor(share * (lights.length - 1))] ?? 0;
      expect(at(0.95) - at(0.05)).toBeGreaterThan(110);
    },
  );

  test.each(["1:1", "16:9", "9:16", "21:9"])(
    "in a picture of %s and in a poster is the only thing that other words change",
    (aspect_ratio) => {
      const painted = (prompt: string): Buffer => {
        const request = { type: "image", model_key: "t", prompt, resolution: "0.3K", aspect_ratio } as const;
        return paintImage({ request, model: "t", seed: 7 }, []).data();
      };
      for (const prompt of ["море «Зерно»", "логотип «Зерно»"]) {
        expect(painted(prompt).equals(painted(prompt))).toBe(true);
        expect(painted(prompt).equals(painted(prompt.replace("Зерно", "Зёрна")))).toBe(false);
      }
    },
  );
});
