import { expect, test } from "vitest";
import { asKopecks, kopecksOf, leftOf, parseRubles, rublesOf, sumOf } from "../../src/contract/price.js";
import fc from "../support/fast-check.js";

test.each([
  ["0", 0],
  ["7", 700],
  ["007", 700],
  ["7.5", 750],
  ["7,5", 750],
  ["7.05", 705],
  ["0.01", 1],
  ["9999999999.99", 999_999_999_999],
])("%s rubles are %d kopecks", (text, kopecks) => {
  expect(parseRubles(text)).toBe(kopecks);
});

test.each([
  "",
  " ",
  "-1",
  "+1",
  "1.",
  ".5",
  "1.005",
  "1 000",
  "1e3",
  "0x10",
  "1.2.3",
  "1'000",
  "١",
  "１",
  "1₽",
  "10000000000",
  "Infinity",
  "NaN",
  "1\n",
])("%j is not an amount", (text) => {
  expect(parseRubles(text)).toBeUndefined();
});

test.each([0.5, 100 / 3, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])(
  "%d is not a sum of kopecks",
  (value) => {
    expect(() => asKopecks(value)).toThrow(RangeError);
  },
);

test("sums are added, and what is left is never below zero", () => {
  const [one, two] = [asKopecks(1), asKopecks(2)];
  expect(sumOf([one, two, two])).toBe(5);
  expect([leftOf(two, one), leftOf(one, two)]).toEqual([1, 0]);
});

test("every amount survives formatting and parsing", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 999_999_999_999 }), (kopecks) => {
      expect(kopecksOf(rublesOf(kopecks))).toBe(kopecks);
      expect(parseRubles((kopecks / 100).toFixed(2))).toBe(kopecks);
    }),
  );
});
