import { expect, test } from "vitest";
import {
  AUDIENCE_FIELDS,
  EVERYBODY,
  hasBalance,
  withNext,
} from "../../../../src/bot/features/broadcast/broadcast-store.js";

test.each(AUDIENCE_FIELDS)("each value of %s comes once before the first comes again", (field) => {
  const seen = [EVERYBODY];
  for (;;) {
    const next = withNext(seen.at(-1) ?? EVERYBODY, field, ["en", "ru"]);
    if (next[field] === EVERYBODY[field]) break;
    expect(seen.map((one) => one[field])).not.toContain(next[field]);
    seen.push(next);
  }
  expect(seen.length).toBeGreaterThan(1);
});

test.each([
  ["any", 0, true],
  ["any", 5, true],
  ["positive", 0, false],
  ["positive", 1, true],
  ["empty", 0, true],
  ["empty", 1, false],
] as const)("with the balance %s a person with %i kopecks is in: %s", (balance, kopecks, isIn) => {
  expect(hasBalance({ ...EVERYBODY, balance }, kopecks)).toBe(isIn);
});
