import { expect, test } from "vitest";
import { BoundedMap } from "../../src/platform/bounded-map.js";
import fc from "../support/fast-check.js";

test("a BoundedMap keeps the most recently set values", () => {
  const keys = fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 60 });
  fc.assert(
    fc.property(keys, fc.integer({ min: 1, max: 5 }), (sets, max) => {
      const map = new BoundedMap<number, number>(max);
      sets.forEach((key, moment) => {
        map.set(key, moment);
      });
      const newest = [...new Set(sets.toReversed())].slice(0, max);
      for (let key = 0; key <= 9; key += 1)
        expect(map.get(key)).toBe(newest.includes(key) ? sets.lastIndexOf(key) : undefined);
    }),
  );
});
