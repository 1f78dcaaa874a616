import { expect, test } from "vitest";
import { FetchPenalties, FREE_FAILURES, PENALTY_BACK_OFF } from "../../../src/jobs/reference-fetcher.js";
import { createManualClock } from "../../support/manual-clock.js";

function openPenalties() {
  const clock = createManualClock();
  return { clock, penalties: new FetchPenalties(clock) };
}

function failAgainAndAgain(penalties: FetchPenalties, times: number): number[] {
  return Array.from({ length: times }, () => penalties.failed(1));
}

test("an account waits longer after each consecutive failure, up to a minute", () => {
  const { penalties } = openPenalties();
  const waits = failAgainAndAgain(penalties, FREE_FAILURES + 10);
  expect(waits.slice(0, FREE_FAILURES)).toEqual(Array(FREE_FAILURES).fill(0));
  expect(waits[FREE_FAILURES]).toBeGreaterThan(0);
  expect(Math.max(...waits)).toBeLessThanOrEqual(PENALTY_BACK_OFF.maxMs);
  expect(penalties.waitOf(1)).toBe(waits.at(-1));
  expect(penalties.waitOf(2)).toBe(0);
});

test("a success resets the wait, and a clock that is set back makes none longer", () => {
  const { penalties, clock } = openPenalties();
  const waits = failAgainAndAgain(penalties, FREE_FAILURES + 3);
  clock.step(-24 * 60 * 60 * 1000);
  expect(penalties.waitOf(1)).toBe(waits.at(-1));
  penalties.succeeded(1);
  expect(penalties.waitOf(1)).toBe(0);
  expect(penalties.failed(1)).toBe(0);
});
