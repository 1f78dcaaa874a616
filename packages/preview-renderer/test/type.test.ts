import { createCanvas } from "@napi-rs/canvas";
import { describe, expect, test } from "vitest";
import { paletteOf } from "../src/palette.js";
import { randomOf } from "../src/random.js";
import { fitLines, paintWording, settable, wordingOf } from "../src/type.js";

const measure = (text: string): number => text.length * 0.6;
const box = { width: 600, height: 300, sizeMax: 120 };
const SENTENCE = "Открытие новой кофейни на углу двух старых улиц";

describe("the words of a picture", () => {
  test.each([
    ["закат у моря", ["Закат у моря"], ""],
    ["логотип кофейни «Зерно»", ["Зерно"], "логотип кофейни"],
    ['a card "Happy Birthday" and «Ура»', ["Happy Birthday", "Ура"], "a card and"],
    ["«Море»", ["Море"], ""],
    [
      "A city at night in the rain, neon lights, very detailed",
      ["A city at night in the rain"],
      "neon lights, very detailed",
    ],
    ["Ура 🎉 всем", ["Ура всем"], ""],
    ["你好", [], ""],
    ["", [], ""],
  ])("%j are set as %j and %j", (prompt, headline, caption) => {
    expect(wordingOf(prompt)).toEqual({ headline, caption });
  });

  test("are cut at a word", () => {
    const { headline, caption } = wordingOf("тарабарщина ".repeat(60));
    expect(headline[0]).toMatch(/тарабарщина…$/);
    expect(headline[0]?.length).toBeLessThanOrEqual(65);
    expect(caption.length).toBeLessThanOrEqual(151);
  });

  test("leave out what the fonts lack", () => {
    expect(settable("кот 🐈 и שלום cat!")).toBe("кот и cat!");
  });
});

describe("lines of type", () => {
  test.each(["Зерно", "Happy Birthday", SENTENCE, "достопримечательности", "a".repeat(90)])(
    "of %s stay inside their box",
    (text) => {
      const { lines, size } = fitLines([text], measure, box);
      expect(Math.max(...lines.map(measure)) * size).toBeLessThanOrEqual(box.width);
      expect(lines.length * size).toBeLessThanOrEqual(box.height);
      const letters = (all: string): string => all.replaceAll(/[\s\u00a0-]/gu, "");
      expect(letters(lines.join(""))).toBe(letters(text));
    },
  );
});

test.each(["#ffffff", "#000000", "#7f7f7f", "#f2c43a", "#14213d", "checks"])(
  "words are legible on %s",
  (ground) => {
    const canvas = createCanvas(600, 400);
    const ctx = canvas.getContext("2d");
    ctx.fillStyle = ground === "checks" ? "#ffffff" : ground;
    ctx.fillRect(0, 0, 600, 400);
    ctx.fillStyle = "#000000";
    for (let x = 0; ground === "checks" && x < 600; x += 20) ctx.fillRect(x, 0, 10, 400);
    const palette = paletteOf("море", randomOf("test"));
    paintWording(ctx, { headline: ["Зерно"], caption: "" }, "bottom", { width: 600, height: 400, palette });
    // The letters stand above the lower margin.
    const { data } = ctx.getImageData(30, 325, 160, 40);
    const lights = Array.from({ length: data.length / 4 }, (_, index) => data[index * 4 + 1] ?? 0).sort(
      (a, b) => a - b,
    );
    const at = (share: number): number => lights[Math.floor(share * (lights.length - 1))] ?? 0;
    expect(at(0.95) - at(0.05)).toBeGreaterThan(110);
  },
);
