import { expect, test } from "vitest";
import { Ages } from "../../src/platform/ages.js";
import { HOUR_MS, MINUTE_MS } from "../../src/platform/units.js";
import { createManualClock } from "../support/manual-clock.js";

test.each([true, false])(
  "a state of an earlier process ages by its stored time, then by the monotonic clock (looked at before: %s)",
  async (isLookedAt) => {
    const clock = createManualClock();
    const since = clock.now() - MINUTE_MS;
    const ages = new Ages(clock);
    if (isLookedAt) expect(ages.of("state", since)).toBe(MINUTE_MS);
    clock.step(3 * HOUR_MS);
    await clock.advance(MINUTE_MS);
    expect(ages.of("state", since)).toBe(2 * MINUTE_MS);
  },
);
