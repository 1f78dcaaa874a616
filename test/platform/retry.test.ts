import { expect, test } from "vitest";
import { guardedClock } from "../../src/platform/clock.js";
import { repeat, untilDone } from "../../src/platform/retry.js";
import { createManualClock } from "../support/manual-clock.js";

const BACK_OFF = { firstMs: 1000, maxMs: 4000 };

test("what must be done is tried until it is, each time after a longer pause", async () => {
  const clock = createManualClock();
  const failed: number[] = [];
  let isBroken = true;
  const work = async () => {
    if (isBroken) throw new Error("disk full");
    return "done";
  };
  const done = untilDone({ clock, backOff: BACK_OFF, onFailure: (_, attempt) => failed.push(attempt) }, work);
  await clock.advance(60_000);
  expect(failed.length).toBeGreaterThanOrEqual(60_000 / BACK_OFF.maxMs);
  expect(failed.length).toBeLessThan(60_000 / 1000);
  isBroken = false;
  await clock.advance(BACK_OFF.maxMs);
  expect(await done).toBe("done");
});

test("a stop ends the waiting with the last error", async () => {
  const clock = createManualClock();
  const stopping = new AbortController();
  const options = { clock, backOff: BACK_OFF, onFailure: () => stopping.abort(), signal: stopping.signal };
  await expect(untilDone(options, () => Promise.reject(new Error("disk full")))).rejects.toThrow("disk full");
  expect(clock.pending).toBe(0);
});

test("what is repeated goes on behind a failure, until it is ended", async () => {
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
