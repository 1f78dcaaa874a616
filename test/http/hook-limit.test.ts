import { expect, test } from "vitest";
import { HookLimit } from "../../src/http/hooks.js";
import { createManualClock } from "../support/manual-clock.js";

function taken(limit: HookLimit, count: number, address: (index: number) => string): number {
  return Array.from({ length: count }, (_, index) => limit.take(address(index))).filter((isTaken) => isTaken)
    .length;
}

test("one address has three hundred calls in ten seconds, and takes nothing from another", async () => {
  const clock = createManualClock();
  const limit = new HookLimit(clock);
  expect(taken(limit, 5000, () => "198.51.100.1")).toBe(300);
  expect(taken(limit, 5000, () => "::ffff:198.51.100.1")).toBe(0);
  expect(taken(limit, 10, () => "198.51.100.2")).toBe(10);
  await clock.advance(9999);
  expect(limit.take("198.51.100.1")).toBe(false);
  await clock.advance(1);
  expect(limit.take("198.51.100.1")).toBe(true);
});

test("all addresses together have a thousand, and a network of IPv6 counts as one", () => {
  const clock = createManualClock();
  expect(taken(new HookLimit(clock), 5000, (index) => `203.0.${index >> 8}.${index & 255}`)).toBe(1000);
  expect(taken(new HookLimit(clock), 5000, (index) => `2001:db8:1:2::${index.toString(16)}`)).toBe(300);
});

test("a clock that is set back locks nobody out", () => {
  const clock = createManualClock();
  const limit = new HookLimit(clock);
  taken(limit, 300, () => "198.51.100.1");
  clock.step(-3_600_000);
  expect(limit.take("198.51.100.2")).toBe(true);
});
