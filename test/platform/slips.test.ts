import { expect, test } from "vitest";
import { slipsBetween } from "../../src/platform/retry.js";

test.each([
  ["cat", "cat", 0],
  ["cat", "cut", 1],
  ["cat", "at", 1],
  ["cat", "carat", 2],
  ["cat", "act", 1],
  ["", "cat", 3],
])("%j and %j are %i slips apart", (a, b, slips) => {
  expect(slipsBetween(a, b)).toBe(slips);
  expect(slipsBetween(b, a)).toBe(slips);
});
