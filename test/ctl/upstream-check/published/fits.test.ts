import { describe, expect, test } from "vitest";
import type { Json } from "../../../../src/catalogue/json.js";
import { fits, possibleValues, shownValue } from "../../../../src/ctl/upstream-check/published/fits.js";
import type { PublishedWay } from "../../../../src/ctl/upstream-check/published/published-model.js";

const size: PublishedWay = {
  types: ["object"],
  fields: { width: { isRequired: true, ways: [{ types: ["integer"], max: 2048 }] } },
};

describe("a value fits where one of the ways takes it", () => {
  test.each<[string, readonly PublishedWay[], Json, boolean]>([
    ["no way: anything", [], { a: 1 }, true],
    ["a listed text", [{ values: ["1K", "2K"] }], "2K", true],
    ["another text", [{ values: ["1K", "2K"] }], "4K", false],
    ["the number of a listed text", [{ values: ["5"] }], 5, false],
    ["null among values", [{ types: ["null"] }], null, true],
    ["a text for a number", [{ types: ["integer"] }], "5", false],
    ["a whole number", [{ types: ["integer"], min: 3, max: 30 }], 30, true],
    ["a fraction", [{ types: ["integer"] }], 1.5, false],
    ["a number that is too large", [{ min: 3, max: 30 }], 31, false],
    ["a text at the limit, in code points", [{ lengthMax: 2 }], "🖼🖼", true],
    ["a text above it", [{ lengthMax: 2 }], "abc", false],
    ["a text below it", [{ lengthMin: 3 }], "ab", false],
    ["a list above its count", [{ countMax: 1 }], ["a", "b"], false],
    ["a list with an element that does not fit", [{ items: [{ values: ["a"] }] }], ["a", "b"], false],
    ["an object", [{ values: ["auto"] }, size], { width: 2048, depth: 9 }, true],
    ["an object with a field that does not fit", [{ values: ["auto"] }, size], { width: 4096 }, false],
    ["an object with inherited names", [{ fields: {} }], { constructor: 1 }, true],
    ["an unknown type", [{ types: ["file"] }], "x", true],
  ])("%s", (_name, ways, value, isTaken) => {
    expect(fits({ ways }, value)).toBe(isTaken);
  });
});

test.each<[readonly PublishedWay[], string]>([
  [[{ values: ["1K", 2] }, { types: ["null"] }], '"1K", 2'],
  [[{ types: ["integer"], min: 3, max: 30 }], "3 to 30"],
  [[{ lengthMax: 2500 }], "at most 2500 characters"],
  [[{ countMin: 1, items: [{ values: ["a"] }] }], 'at least 1 elements, each "a"'],
  [[{ types: ["string"] }, { types: ["object"] }], "string, or object"],
  [
    [{ values: Array.from({ length: 22 }, (_, index) => index) }],
    `${[...Array(20).keys()].join(", ")}, 2 more`,
  ],
])("%j is told as %s", (ways, told) => {
  expect(possibleValues({ ways })).toBe(told);
});

test("long values are told by their length", () => {
  expect(shownValue("a".repeat(61))).toBe("a text of 61 characters");
  expect(shownValue(Array(9).fill("https://a.test"))).toBe("a list of 9");
  expect(shownValue("4:3")).toBe('"4:3"');
});
