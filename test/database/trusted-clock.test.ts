import { describe, expect, test } from "vitest";
import { type ClockRecord, judgeClock, LEAP_CONFIRMED_MS } from "../../src/database/trusted-clock.js";
import { integer } from "../../src/platform/integer.js";
import { openTestCore, type TestCore } from "../support/core.js";
import { eventually } from "../support/eventually.js";
import { recordingLogger } from "../support/log.js";
import { createManualClock, type ManualClock } from "../support/manual-clock.js";

/** What waits in an idle core: two hourly cleanups, and the look of the runner. */
const IDLE_TIMERS = 3;
const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
const YEAR_MS = 365 * DAY_MS;
const CLOCK_LEAP_MS = 2 * DAY_MS;
const T = integer(Date.UTC(2026, 0, 1));

const trusted = (at: number): ClockRecord => ({
  trusted_at: integer(at),
  seen_at: integer(at),
  doubted_since: null,
});
const doubted = (since: number, seenAt = since): ClockRecord => ({
  trusted_at: T,
  seen_at: integer(seenAt),
  doubted_since: integer(since),
});
const AHEAD = T + YEAR_MS;

test.each<[string, ClockRecord | undefined, number, ClockRecord]>([
  ["the first look", undefined, T, trusted(T)],
  ["a look an hour later", trusted(T), T + HOUR_MS, trusted(T + HOUR_MS)],
  ["a start behind a weekend", trusted(T), T + CLOCK_LEAP_MS, trusted(T + CLOCK_LEAP_MS)],
  ["a leap", trusted(T), AHEAD, doubted(AHEAD)],
  ["a leap within the day", doubted(AHEAD), AHEAD + HOUR_MS, doubted(AHEAD, AHEAD + HOUR_MS)],
  [
    "a leap that has lasted a day",
    doubted(AHEAD, AHEAD + DAY_MS - HOUR_MS),
    AHEAD + LEAP_CONFIRMED_MS,
    trusted(AHEAD + DAY_MS),
  ],
  ["a clock that was set right", doubted(AHEAD), T + HOUR_MS, trusted(T + HOUR_MS)],
  ["a clock that was set right after it was believed", trusted(AHEAD), T, trusted(T)],
  ["a leap on a leap", doubted(AHEAD), AHEAD + YEAR_MS, doubted(AHEAD + YEAR_MS)],
  ["a leap that is set right in part", doubted(AHEAD), T + 40 * DAY_MS, doubted(T + 40 * DAY_MS)],
])("the clock at %s is judged by its last look", (_what, known, now, expected) => {
  expect(judgeClock(known, integer(now), CLOCK_LEAP_MS)).toEqual(expected);
});

describe("while the clock is far ahead", () => {
  let world: TestCore;

  async function isLinked(job_id: number | string): Promise<boolean> {
    const ann = await world.person(1);
    return (await ann.job(job_id)).result?.url !== null;
  }

  async function runOnce(): Promise<{ directory: string; job_id: number | string }> {
    world = openTestCore({ settings: { mediaRetentionDays: 8 } });
    const ann = await world.begun(100_00);
    const { job_id } = await world.made(ann, "one");
    await world.close();
    return { directory: world.directory, job_id };
  }

  function openAt(directory: string, at: number) {
    const { logger, lines } = recordingLogger();
    const clock = createManualClock(at);
    world = openTestCore({ directory, clock, logger, settings: { mediaRetentionDays: 8 } });
    const warnings = () =>
      lines
        .filter(({ msg }) => String(msg).startsWith("clock far ahead"))
        .filter(({ removed }) => removed === "media").length;
    return { clock, warnings };
  }

  /** Hour by hour, each once the cleanups of the hour before have ended and wait for their next one. */
  async function pass(clock: ManualClock, ms: number): Promise<void> {
    for (let hour = 0; hour < ms / HOUR_MS; hour += 1) {
      await eventually("the end of the cleanups", () => clock.pending === IDLE_TIMERS);
      await clock.advance(HOUR_MS);
    }
  }

  test("retention waits a day, logs this once, and continues after a long downtime", async () => {
    const { directory, job_id } = await runOnce();
    const first = openAt(directory, T + 40 * DAY_MS);
    await world.core.start();
    await pass(first.clock, 12 * HOUR_MS);
    expect(first.warnings()).toBe(1);
    await world.close();
    // A restart begins no new day.
    const second = openAt(directory, T + 40 * DAY_MS + 12 * HOUR_MS);
    await world.core.start();
    await pass(second.clock, 11 * HOUR_MS);
    expect(second.warnings()).toBe(0);
    expect(await isLinked(job_id)).toBe(true);
    await pass(second.clock, 2 * HOUR_MS);
    await eventually("the end of the file", async () => !(await isLinked(job_id)));
  });
});
