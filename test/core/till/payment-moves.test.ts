import { expect, test } from "vitest";
import { mayMove } from "../../../src/tills/payment-store.js";

test.each([
  ["new", ["credited", "unmatched", "refunded"]],
  ["unmatched", ["credited", "refunding", "refunded"]],
  ["credited", ["refunding", "refunded"]],
  ["refunding", ["credited", "unmatched", "refunded"]],
  ["refunded", []],
] as const)("a payment that is %s moves nowhere but to %j", (from, legal) => {
  const states = ["credited", "unmatched", "refunding", "refunded"] as const;
  expect(states.filter((to) => mayMove(from, to))).toEqual(legal);
});
