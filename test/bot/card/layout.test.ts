import { expect, test } from "vitest";
import { inRows } from "../../../src/bot/card/render-card.js";

function laidOut(labels: string[], inARow: number): string[][] {
  const buttons = labels.map((text) => ({ text, callback_data: text }));
  return inRows(buttons, inARow).map((row) => row.map(({ text }) => text));
}

test("short labels share a row, up to the maximum", () => {
  expect(laidOut(["1:1", "3:2", "2:3", "4:3", "3:4"], 4)).toEqual([["1:1", "3:2", "2:3", "4:3"], ["3:4"]]);
});

test("a label that a phone would cut in a narrow button gets a wider one", () => {
  expect(laidOut(["поп", "рок", "хип-хоп", "электронная", "джаз"], 4)).toEqual([
    ["поп", "рок", "хип-хоп"],
    ["электронная", "джаз"],
  ]);
  expect(laidOut(["Режим: по тексту песни", "Стиль: —", "Название: —"], 2)).toEqual([
    ["Режим: по тексту песни"],
    ["Стиль: —", "Название: —"],
  ]);
});
