import { expect, test } from "vitest";
import { operator } from "./harness.js";

test("promo create makes a code, and promo list shows it", async () => {
  const { ctl } = operator();
  const made = { code: "SUMMER", rub: 100, uses: 0, uses_max: 50, until: "2999-01-01T00:00:00.000Z" };
  const { code, out } = await ctl("promo create summer --rub 100 --uses 50 --until 2998-12-31 --json");
  expect([code, JSON.parse(out)]).toEqual([0, made]);
  expect(JSON.parse((await ctl("promo list --json")).out)).toEqual([made]);
  expect((await ctl("promo list")).out).toMatch(/SUMMER +100 +0 +50 +2998-12-31/);
  const { out: told } = await ctl("promo create winter --rub 1 --uses 5 --until 2998-12-31");
  expect(told).toContain("until the end of 2998-12-31 (UTC)");
});

test.each([
  ["promo create summer --rub 0 --uses 5 --until 2998-12-31", "is not an amount"],
  ["promo create summer --rub 1 --uses 0 --until 2998-12-31", "is no number of uses"],
  ["promo create summer --rub 1 --uses 5 --until tomorrow", "is no day such as"],
  ["promo create summer --rub 1 --uses 5 --until 2020-01-01", "would be over already"],
  ["promo create s --rub 1 --uses 5 --until 2998-12-31", "a code has 4 to 40"],
  ["promo create КОД1 --rub 1 --uses 5 --until 2998-12-31", "a code has 4 to 40"],
])("%s is refused in one line", async (command, message) => {
  const { ctl } = operator();
  const { code, err } = await ctl(command);
  expect(code).toBe(1);
  expect(err).toContain(message);
  expect(err.trim().split("\n")).toHaveLength(1);
});
