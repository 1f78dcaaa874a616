import fc from "fast-check";
import { expect, test } from "vitest";
import { Recent } from "../../src/platform/recent.js";

test("keeps the values that were set last, whatever is set in whichever order", () => {
  const keys = fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 60 });
  fc.assert(
    fc.property(keys, fc.integer({ min: 1, max: 5 }), (sets, max) => {
      const recent = new Recent<number, number>(max);
      sets.forEach((key, moment) => {
        recent.set(key, moment);
      });
      const newest = [...new Set(sets.toReversed())].slice(0, max);
      for (let key = 0; key <= 9; key += 1)
        expect(recent.get(key)).toBe(newest.includes(key) ? sets.lastIndexOf(key) : undefined);
    }),
  );
});

test("forgets one value, or all", () => {
  const recent = new Recent<string, number>(3);
  recent.set("a", 1);
  recent.set("b", 2);
  recent.delete("a");
  expect([...recent.values()]).toEqual([2]);
  recent.clear();
  expect([...recent.values()]).toEqual([]);
});
