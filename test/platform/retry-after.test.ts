import { expect, test } from "vitest";
import { retryAfterMs } from "../../src/platform/http-exchange.js";

const NOW = Date.UTC(2026, 10, 23, 12);
const DAY_MS = 86_400_000;

test.each<[string | undefined, number | undefined]>([
  [undefined, undefined],
  ["0", 0],
  ["7", 7000],
  ["9999999", DAY_MS],
  ["99999999999999999999", DAY_MS],
  ["Mon, 23 Nov 2026 12:00:30 GMT", 30_000],
  ["Monday, 23-Nov-26 12:00:30 GMT", 30_000],
  ["Fri, 01 Jan 2100 00:00:00 GMT", DAY_MS],
  ["Mon, 23 Nov 2026 11:59:59 GMT", undefined],
  ["-5", undefined],
  ["-0", undefined],
  ["+5", undefined],
  ["1.5", undefined],
  ["2026-11-24", undefined],
  ["soon", undefined],
  ["", undefined],
])("Retry-After %j is a wait of %j ms", (value, waitMs) => {
  expect(retryAfterMs(value, NOW)).toBe(waitMs);
});
