import { expect, test } from "vitest";
import { pollPauseMs } from "../../src/platform/poller.js";
import fc from "../support/fast-check.js";

const SECOND_MS = 1000;
const HOUR_MS = 3600 * SECOND_MS;

test.each([
  ["new", 0, 5 * SECOND_MS],
  ["a minute old", 60 * SECOND_MS, 6 * SECOND_MS],
  ["five minutes old", 300 * SECOND_MS, 30 * SECOND_MS],
  ["an hour old", HOUR_MS, 30 * SECOND_MS],
  ["a day old", 24 * HOUR_MS, 120 * SECOND_MS],
  ["a month old", 720 * HOUR_MS, 900 * SECOND_MS],
])("a row that is %s waits", (_name, ageMs, expected) => {
  expect(pollPauseMs(ageMs, 5 * SECOND_MS, () => 0)).toBe(expected);
});

test("jitter shortens a pause by at most a fifth, and a long first pause is kept", () => {
  const property = fc.property(
    fc.nat(1000 * HOUR_MS),
    fc.integer({ min: 100, max: 60_000 }),
    fc.double({ min: 0, max: 1, noNaN: true }),
    (ageMs, firstMs, random) => {
      const full = pollPauseMs(ageMs, firstMs, () => 0);
      const pauseMs = pollPauseMs(ageMs, firstMs, () => random);
      expect(full).toBeGreaterThanOrEqual(firstMs);
      expect(pauseMs).toBeLessThanOrEqual(full);
      expect(pauseMs).toBeGreaterThanOrEqual(Math.floor(full * 0.8));
    },
  );
  fc.assert(property);
});
