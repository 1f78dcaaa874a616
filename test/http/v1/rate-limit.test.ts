import { expect, test } from "vitest";
import { Budgets } from "../../../src/platform/rate-limit.js";
import { createManualClock } from "../../support/manual-clock.js";

function openLimit() {
  const clock = createManualClock();
  return { clock, limit: new Budgets<number>(clock, { most: 1, withinMs: 60_000 }) };
}

test("a clock that is set back locks no account out", async () => {
  const { clock, limit } = openLimit();
  expect(limit.take(1)).toBe(0);
  clock.step(-3_600_000);
  expect(limit.take(1)).toBe(60_000);
  await clock.advance(60_000);
  expect(limit.take(1)).toBe(0);
});

test("evicting accounts never frees one that still has to wait", () => {
  const { limit } = openLimit();
  for (let account = 1; account <= 10_001; account += 1) limit.take(account);
  expect([limit.take(1), limit.take(10_001)]).toEqual([60_000, 60_000]);
});
