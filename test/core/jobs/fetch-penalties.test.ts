import { expect, test } from "vitest";
import { FetchPenalties, FREE_FAILURES, PENALTY_BACK_OFF } from "../../../src/jobs/reference-fetcher.js";
import { createManualClock } from "../../support/manual-clock.js";

test("a success resets the wait, and a clock that is set back makes none longer", () => {
  const clock = createManualClock();
  const penalties = new FetchPenalties(clock);
  const waits = Array.from({ length: FREE_FAILURES + 10 }, () => penalties.failed(1));
  expect(Math.max(...waits)).toBeLessThanOrEqual(PENALTY_BACK_OFF.maxMs);
  clock.step(-24 * 60 * 60 * 1000);
  expect(penalties.waitOf(1)).toBe(waits.at(-1));
  penalties.succeeded(1);
  expect(penalties.waitOf(1)).toBe(0);
  expect(penalties.failed(1)).toBe(0);
});
