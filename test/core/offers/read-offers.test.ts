import { expect, test } from "vitest";
import { readOffers } from "../../../src/catalogue/offers.js";
import { offersFile } from "./offers-file.js";

test.each<[string, unknown, string | RegExp]>([
  ["no JSON", "{", /offers.json: is not valid JSON: [^\n]*$/],
  ["a list", [], "offers.json: Invalid input: expected object, received array"],
  ["an unknown field", { price: 1 }, "offers.json: price: is not a known field"],
  ["a floor below 0", { floor: -0.1 }, "offers.json: floor: must be 0 or more"],
  ["a markup of nothing", { markup: 0 }, "offers.json: markup: must be more than 0"],
  ["a step of nothing", { round_to_rub: 0 }, "offers.json: round_to_rub: must be a number over 0"],
  [
    "a step with three decimals",
    { round_to_rub: 0.125 },
    "round_to_rub: must be a number over 0 with at most two",
  ],
  ["a negative price", { models: { a: { price_rub: -5 } } }, "models.a.price_rub: must be a number over 0"],
  [
    "a word for a price",
    { models: { a: { price_rub: "free" } } },
    'models.a.price_rub: must be "from cost", or prices',
  ],
  [
    "a negative price of a table",
    { models: { a: { price_rub: { "1K": -5 } } } },
    "models.a.price_rub.1K: must be a",
  ],
  [
    "a price from cost without a markup",
    { models: { a: { price_rub: "from cost" } } },
    "markup: is missing, and the price",
  ],
  ["rates without their day", { rates: { USD: 90 } }, "rates_at: is missing, and rates are given"],
  ["a day in words", { rates: { USD: 90 }, rates_at: "today" }, "rates_at: must be a day, YYYY-MM-DD"],
  ["two megabytes", " ".repeat(2_000_000), "offers.json: is larger than 1 MB: it is no file of offers"],
  [
    "a price deeper than any",
    `{"models":{"a":{"price_rub":${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}}}}`,
    "must be",
  ],
])("a file with %s is refused in one line", (_, content, problem) => {
  const { file } = offersFile(content);
  expect(() => readOffers(file)).toThrow(problem);
});

test("a missing file and a folder are refused by name", () => {
  expect(() => readOffers("/none/offers.json")).toThrow("/none/offers.json: cannot be read: ENOENT");
  expect(() => readOffers("/tmp")).toThrow("/tmp: cannot be read: EISDIR");
});
