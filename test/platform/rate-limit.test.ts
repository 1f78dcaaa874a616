import { expect, test } from "vitest";
import { Budgets, RateLimit } from "../../src/platform/rate-limit.js";
import fc from "../support/fast-check.js";
import { createManualClock } from "../support/manual-clock.js";

test("for any arrivals, no window has more starts than allowed, and all start", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 10, max: 1000 }),
      fc.array(fc.nat(500), { maxLength: 25 }),
      async (count, perMs, pauses) => {
        const clock = createManualClock(0);
        const limit = new RateLimit(clock, { count, perMs });
        const starts: number[] = [];
        for (const pauseMs of pauses) {
          void limit.take().then(() => starts.push(clock.now()));
          await clock.advance(pauseMs);
        }
        await clock.advance(perMs * pauses.length);
        expect(starts).toHaveLength(pauses.length);
        for (const from of starts)
          expect(starts.filter((at) => at >= from && at < from + perMs).length).toBeLessThanOrEqual(count);
      },
    ),
    { numRuns: 40 },
  );
});

test("a hold delays everyone, and an abort ends the wait without a start", async () => {
  const clock = createManualClock(0);
  const limit = new RateLimit(clock);
  limit.hold(500);
  limit.hold(100);
  const abort = new AbortController();
  const taken = limit.take(abort.signal);
  await clock.advance(499);
  abort.abort();
  expect(await taken).toBe(false);
  const next = limit.take();
  await clock.advance(1);
  expect(await next).toBe(true);
  expect(clock.monotonic()).toBe(500);
});

function openBudgets() {
  const clock = createManualClock();
  return { clock, limit: new Budgets<number>(clock, { most: 1, withinMs: 60_000 }) };
}

test("a clock that is set back locks no account out", async () => {
  const { clock, limit } = openBudgets();
  expect(limit.take(1)).toBe(0);
  clock.step(-3_600_000);
  expect(limit.take(1)).toBe(60_000);
  await clock.advance(60_000);
  expect(limit.take(1)).toBe(0);
});

test("evicting accounts never frees one that still has to wait", () => {
  const { limit } = openBudgets();
  for (let account = 1; account <= 10_001; account += 1) limit.take(account);
  expect([limit.take(1), limit.take(10_001)]).toEqual([60_000, 60_000]);
});
