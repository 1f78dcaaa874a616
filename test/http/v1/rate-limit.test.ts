import { expect, test } from "vitest";
import { Budgets } from "../../../src/platform/rate-limit.js";
import { createManualClock } from "../../support/manual-clock.js";
import { toldClock } from "../../support/stub-clocks.js";

function openLimit(perMinute: number) {
  let now = 0;
  const limit = new Budgets<number>(
    toldClock(() => now),
    { most: perMinute, withinMs: 60_000 },
  );
  /** What a request of an account is answered with at this moment, in seconds. */
  const takeAt = (at: number, accountId = 1) => {
    now = at;
    return Math.ceil(limit.take(accountId) / 1000);
  };
  return { takeAt };
}

test("an account has its number of requests per minute, and is told how long to wait for the next", () => {
  const { takeAt } = openLimit(2);
  const moments = [500, 600, 700, 30_600, 59_600, 60_499, 60_500, 60_501, 60_502];
  expect(moments.map((at) => takeAt(at))).toEqual([0, 0, 60, 30, 1, 1, 0, 0, 60]);
});

test("a clock that is set back locks no account out", async () => {
  const clock = createManualClock();
  const limit = new Budgets<number>(clock, { most: 1, withinMs: 60_000 });
  expect(limit.take(1)).toBe(0);
  clock.step(-3_600_000);
  expect(limit.take(1)).toBe(60_000);
  await clock.advance(60_000);
  expect(limit.take(1)).toBe(0);
});

test("evicting accounts never frees one that still has to wait", () => {
  const { takeAt } = openLimit(1);
  for (let account = 1; account <= 10_001; account += 1) takeAt(0, account);
  expect([takeAt(1, 1), takeAt(1, 10_001)]).toEqual([60, 60]);
});
