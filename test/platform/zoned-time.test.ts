import { expect, test } from "vitest";
import { dayAfter, dayInZone, instantOf, parseDailyTime, parseDay } from "../../src/platform/zoned-time.js";

const at = (text: string) => {
  const time = parseDailyTime(text);
  if (!time) throw new Error(text);
  return time;
};
const instant = (day: string, text: string) => new Date(instantOf(day, at(text))).toISOString();

test.each([
  ["2026-11-24", "09:00", "2026-11-24T09:00:00.000Z"],
  ["2026-11-24", "09:00 Europe/Moscow", "2026-11-24T06:00:00.000Z"],
  ["2026-03-29", "09:00 Europe/Berlin", "2026-03-29T07:00:00.000Z"],
])("on %s, %s is %s", (day, text, expected) => {
  expect(instant(day, text)).toBe(expected);
});

test.each(["", "9:00", "24:00", "09:60", "09:00 Mars/Olympus", "09:00 Europe/Moscow x", "noon"])(
  "%j is no time of the day",
  (text) => {
    expect(parseDailyTime(text)).toBeUndefined();
  },
);

test("the day is the zone's own", () => {
  const now = Date.UTC(2026, 10, 24, 22, 30);
  expect([dayInZone(now, "UTC"), dayInZone(now, "Europe/Moscow")]).toEqual(["2026-11-24", "2026-11-25"]);
  expect(dayAfter("2026-03-01", -1)).toBe("2026-02-28");
});

test.each(["2027-02-30", "2026-02-29", "2026-04-31", "2026-13-01", "2026-00-10", "2026-1-01", "", "x"])(
  "%s is no day",
  (text) => {
    expect(parseDay(text)).toBeUndefined();
  },
);

test("a day begins in UTC, that of a leap year too", () => {
  expect(parseDay("2028-02-29")).toBe(Date.UTC(2028, 1, 29));
});
