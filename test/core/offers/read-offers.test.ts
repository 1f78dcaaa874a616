import { symlinkSync } from "node:fs";
import { expect, test } from "vitest";
import { readOffers } from "../../../src/catalogue/offers.js";
import { offersFile } from "./offers-file.js";

test.each<[problem: string | RegExp, content: unknown]>([
  [/offers.json: is not valid JSON: [^\n]*$/, "{"],
  ["offers.json: Invalid input: expected object, received array", []],
  ["offers.json: price: is not a known field", { price: 1 }],
  ["offers.json: floor: must be 0 or more", { floor: -0.1 }],
  ["offers.json: markup: must be more than 0", { markup: 0 }],
  ["offers.json: round_to_rub: must be a number over 0", { round_to_rub: 0 }],
  ["round_to_rub: must be a number over 0 with at most two", { round_to_rub: 0.125 }],
  ["models.a.price_rub: must be a number over 0", { models: { a: { price_rub: -5 } } }],
  ['models.a.price_rub: must be "from cost", or prices', { models: { a: { price_rub: "free" } } }],
  ["models.a.price_rub.1K: must be a", { models: { a: { price_rub: { "1K": -5 } } } }],
  ["markup: is missing, and the price", { models: { a: { price_rub: "from cost" } } }],
  ["rates_at: is missing, and rates are given", { rates: { USD: 90 } }],
  ["rates_at: must be a day, YYYY-MM-DD", { rates: { USD: 90 }, rates_at: "today" }],
  ["offers.json: is larger than 1 MB: it is no file of offers", " ".repeat(2_000_000)],
  ["must be", `{"models":{"a":{"price_rub":${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}}}}`],
])("a file is refused in one line: %s", (problem, content) => {
  const { file } = offersFile(content);
  expect(() => readOffers(file)).toThrow(problem);
});

test("a missing file, a folder and a link to itself are refused by name", () => {
  const loop = `${offersFile({}).file}.loop`;
  symlinkSync(loop, loop);
  expect(() => readOffers(loop)).toThrow(`${loop}: cannot be read: ELOOP`);
  expect(() => readOffers("/none/offers.json")).toThrow("/none/offers.json: cannot be read: ENOENT");
  expect(() => readOffers("/tmp")).toThrow("/tmp: cannot be read: EISDIR");
});
