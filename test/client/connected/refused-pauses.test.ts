import { describe, expect, test } from "vitest";
import { pauseOfRefused } from "../../../src/client/connected-accounts.js";
import { Ages } from "../../../src/platform/ages.js";
import { createManualClock } from "../../support/manual-clock.js";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const TEN_MINUTES_MS = 600_000;

test("an order is asked for again soon while its key is in doubt, and every ten minutes while it is refused", () => {
  const clock = createManualClock();
  const ages = new Ages(clock);
  expect(pauseOfRefused({ id: 1, refused_at: null }, ages)).toBeLessThanOrEqual(15_000);
  expect(pauseOfRefused({ id: 1, refused_at: clock.now() }, ages)).toBe(TEN_MINUTES_MS);
  expect(pauseOfRefused(undefined, ages)).toBe(TEN_MINUTES_MS);
});

describe.each([-960, -6, 6, 960])("a clock that is set by %i h in the running process", (hours) => {
  test("ends no order early, and each after thirty days", async () => {
    const clock = createManualClock();
    const ages = new Ages(clock);
    const account = { id: 1, refused_at: clock.now() };
    pauseOfRefused(account, ages);
    await clock.advance(DAY_MS);
    clock.step(hours * HOUR_MS);
    expect(pauseOfRefused(account, ages)).toBe(TEN_MINUTES_MS);
    await clock.advance(29 * DAY_MS);
    expect(pauseOfRefused(account, ages)).toBe(TEN_MINUTES_MS);
    await clock.advance(1);
    expect(pauseOfRefused(account, ages)).toBeUndefined();
  });
});

test("a key that is refused anew counts anew", async () => {
  const clock = createManualClock();
  const ages = new Ages(clock);
  pauseOfRefused({ id: 1, refused_at: clock.now() }, ages);
  await clock.advance(40 * DAY_MS);
  expect(pauseOfRefused({ id: 1, refused_at: clock.now() }, ages)).toBe(TEN_MINUTES_MS);
});
