import { expect, test } from "vitest";
import { parseDay } from "../../src/platform/zoned-time.js";

test.each(["2027-02-30", "2026-02-29", "2026-04-31", "2026-13-01", "2026-00-10", "2026-1-01", "", "x"])(
  "%s is no day",
  (text) => {
    expect(parseDay(text)).toBeUndefined();
  },
);

test("a day begins in UTC, that of a leap year too", () => {
  expect(parseDay("2028-02-29")).toBe(Date.UTC(2028, 1, 29));
});
