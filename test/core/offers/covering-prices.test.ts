import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { coveringPrices, type LeastPrice } from "../../../src/catalogue/offers.js";
import type { PriceRow } from "../../../src/contract/model.js";
import { asKopecks, kopecksOf } from "../../../src/contract/price.js";

const KEYS = ["5", "10"];
const FACTORS = { sound: 1.5, fast: 0.5 };

function least(key: string, rubles: number, use: Partial<LeastPrice> = {}): LeastPrice {
  return { path: [key], hasSound: false, isFast: false, kopecks: kopecksOf(rubles), ...use };
}

const terms = { step: asKopecks(100), isFromLeast: false };
const made = { ...terms, isFromLeast: true };
const start = { table: { 5: 45, 10: 90 }, factors: {} };

describe("prices that cover their costs", () => {
  test("are raised to the step above the least price, and stay where they cover it", () => {
    expect(coveringPrices(start, [least("5", 46.01), least("10", 90)], terms).table).toEqual({
      5: 47,
      10: 90,
    });
    const step = asKopecks(500);
    expect(coveringPrices(start, [least("5", 46.01)], { ...terms, step }).table).toEqual({ 5: 50, 10: 90 });
  });

  test("are made of the least prices, and are the old ones where there is none", () => {
    expect(coveringPrices(start, [least("5", 3.2)], made).table).toEqual({ 5: 4, 10: 90 });
  });

  test("are never nothing", () => {
    expect(coveringPrices(start, [least("5", 0)], made).table).toEqual({ 5: 1, 10: 90 });
  });

  test("have factors as low as the costs allow, whatever the rounding of the table", () => {
    const uses = [
      least("5", 10.1),
      least("5", 10.1, { hasSound: true }),
      least("5", 5.05, { isFast: true }),
      least("5", 6.06, { isFast: true, hasSound: true }),
    ];
    expect(coveringPrices({ ...start, factors: FACTORS }, uses, made)).toEqual({
      table: { 5: 11, 10: 90 },
      factors: { sound: 1.2, fast: 0.5 },
    });
  });

  test("keep factors that cover, and raise those that do not", () => {
    const uses = [least("10", 100, { hasSound: true }), least("10", 60, { isFast: true })];
    expect(coveringPrices({ ...start, factors: FACTORS }, uses, terms).factors).toEqual({
      sound: 1.5,
      fast: 0.67,
    });
  });

  test("are never below a least price, in any combination", () => {
    const use = fc.record({
      path: fc.constantFrom(...KEYS).map((key) => [key]),
      hasSound: fc.boolean(),
      isFast: fc.boolean(),
      kopecks: fc.integer({ min: 1, max: 100_000 }).map(asKopecks),
    });
    fc.assert(
      fc.property(
        fc.array(use),
        fc.boolean(),
        fc.integer({ min: 1, max: 1000 }),
        (uses, isFromLeast, step) => {
          const terms = { isFromLeast, step: asKopecks(step) };
          const { table, factors } = coveringPrices({ ...start, factors: FACTORS }, uses, terms);
          for (const { path, hasSound, isFast, kopecks } of uses) {
            const plain = kopecksOf((table as PriceRow)[path[0] ?? ""] ?? 0);
            const price = plain * (hasSound ? (factors.sound ?? 0) : 1) * (isFast ? (factors.fast ?? 0) : 1);
            expect(price).toBeGreaterThanOrEqual(kopecks - 1e-6);
          }
        },
      ),
    );
  });
});
