import { expect, test } from "vitest";
import { guardedClock } from "../../src/platform/clock.js";
import { Recurring, repeat, retry, slipsBetween } from "../../src/platform/retry.js";
import { createManualClock } from "../support/manual-clock.js";

const BACK_OFF = { firstMs: 1000, maxMs: 4000 };

test("retries end with the last error after the given number, and at a permanent error", async () => {
  const clock = createManualClock();
  const failed: number[] = [];
  const options = {
    clock,
    backOff: BACK_OFF,
    onFailure: (_: unknown, attempt: number) => failed.push(attempt),
  };
  const limited = retry({ ...options, maxTries: 3 }, () => Promise.reject(new Error("busy")));
  const refused = expect(limited).rejects.toThrow("busy");
  await clock.advance(60_000);
  await refused;
  expect(failed).toEqual([1, 2]);
  const until = (error: unknown) => error instanceof RangeError;
  await expect(retry({ ...options, until }, () => Promise.reject(new RangeError("never")))).rejects.toThrow(
    "never",
  );
  expect(failed).toEqual([1, 2]);
});

test("a repeated operation continues after a failure, until it is stopped", async () => {
  const manual = createManualClock();
  const errors: unknown[] = [];
  const clock = guardedClock(manual, (error) => errors.push(error));
  let turns = 0;
  const end = repeat(clock, 1000, () => {
    turns += 1;
    if (turns === 3) throw new Error("SQLITE_IOERR");
  });
  expect(turns).toBe(1);
  await manual.advance(5000);
  expect(turns).toBe(6);
  expect(errors).toHaveLength(1);
  end();
  expect(manual.pending).toBe(0);
});

test("recurring work is done at the start, at its pace and when it is woken, once at a time, until it is stopped", async () => {
  const clock = createManualClock();
  const ends: (() => void)[] = [];
  let wake = () => {};
  let isOver = false;
  const recurring = new Recurring({
    clock,
    everyMs: 1000,
    wokenBy: (call) => {
      wake = call;
      return () => (isOver = true);
    },
    work: () => new Promise((resolve) => ends.push(resolve)),
    onFailure: () => {},
  });
  const end = async () => {
    ends.at(-1)?.();
    await clock.advance(0);
  };
  recurring.start();
  expect(ends).toHaveLength(1);
  wake();
  wake();
  await clock.advance(5000);
  expect(ends).toHaveLength(1);
  await end();
  expect(ends, "once more for what woke it meanwhile").toHaveLength(2);
  await end();
  await clock.advance(1000);
  expect(ends).toHaveLength(3);
  const stopped = recurring.stop();
  await end();
  await stopped;
  wake();
  await clock.advance(5000);
  expect(ends).toHaveLength(3);
  expect(isOver).toBe(true);
  recurring.start();
  expect(ends, "started anew").toHaveLength(4);
});

test("recurring work that is idle waits for a wake alone, and goes on at its pace when that brings more", async () => {
  const clock = createManualClock();
  let wake = () => {};
  let waiting = 0;
  let runs = 0;
  const recurring = new Recurring({
    clock,
    everyMs: 1000,
    wokenBy: (call) => {
      wake = call;
      return () => {};
    },
    work: async () => {
      runs += 1;
    },
    isIdle: () => waiting === 0,
    onFailure: () => {},
  });
  recurring.start();
  await clock.advance(5000);
  expect([runs, clock.pending]).toEqual([1, 0]);
  waiting = 1;
  wake();
  await clock.advance(2500);
  expect(runs).toBe(4);
  await recurring.stop();
});

test.each([
  ["cat", "cat", 0],
  ["cat", "cut", 1],
  ["cat", "at", 1],
  ["cat", "carat", 2],
  ["cat", "act", 1],
  ["", "cat", 3],
])("%j and %j are %i slips apart", (a, b, slips) => {
  expect(slipsBetween(a, b)).toBe(slips);
  expect(slipsBetween(b, a)).toBe(slips);
});
