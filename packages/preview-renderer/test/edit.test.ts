import { describe, expect, test } from "vitest";
import { type Edit, editOf } from "../src/edit.js";

const NOTHING: Edit = { steps: [], texts: [], isTextBelow: false, undone: "" };

describe("what is read in an edit", () => {
  test.each<[string, Partial<Edit>]>([
    ["ч/б", { steps: ["grey"] }],
    ["make it black and white", { steps: ["grey"] }],
    ["B&W please", { steps: ["grey"] }],
    ["сепия", { steps: ["sepia"] }],
    ["add a sepia filter", { steps: ["sepia"] }],
    ["turn this photo to night", { steps: ["night"] }],
    ["сделай картинку немного ярче", { steps: ["brighter"] }],
    ["a bit darker", { steps: ["darker"] }],
    ["сделай теплее и светлее", { steps: ["warmer", "brighter"] }],
    ["cooler tones", { steps: ["colder"] }],
    ["отрази по горизонтали", { steps: ["mirror"] }],
    ["mirror the image", { steps: ["mirror"] }],
    ["обрежь в квадрат", { steps: ["square"] }],
    ["crop to square", { steps: ["square"] }],
    ["сделай зиму, чтобы шёл снег", { steps: ["winter", "snow"] }],
    ["turn day into night", { steps: ["night"] }],
    ["увеличь яркость", { steps: ["brighter"] }],
    ["сделай коллаж", {}],
    ["combine these photos into a collage", {}],
    ["", {}],
    ["напиши «С днём рождения!»", { texts: ["С днём рождения!"] }],
    ["add the text 'Hello' at the bottom", { texts: ["Hello"], isTextBelow: true }],
    ["«Море»", { texts: ["Море"] }],
  ])("%j is done", (prompt, edit) => {
    expect(editOf(prompt)).toEqual({ ...NOTHING, ...edit });
  });

  test.each([
    "замени кота на собаку",
    "в стиле аниме",
    "turn it into a watercolor",
    "сделай платье темнее",
    "размой фон",
    "не делай темнее",
    "замени ночь на день",
    "make the sky darker",
    "without snow",
    "замени надпись на «Кофе»",
  ])("%j is left undone as a whole", (prompt) => {
    expect(editOf(prompt)).toEqual({ ...NOTHING, undone: prompt });
  });

  test("of several wishes, those that are understood are done and the others are named", () => {
    expect(editOf("Сделай чёрно-белым, добавь шляпу и размой фон")).toEqual({
      ...NOTHING,
      steps: ["grey"],
      undone: "добавь шляпу, размой фон",
    });
  });
});
