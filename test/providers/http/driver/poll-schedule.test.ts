import { describe, expect, test } from "vitest";
import {
  mappingSteps,
  type PollLoad,
  type PollStep,
  pollSteps,
  taskPauseMs,
} from "../../../../src/providers/service.js";
import { catalogue } from "../../../support/core.js";
import fc from "../../../support/fast-check.js";
import { pollDelayMs, RECORDED_WORK } from "../../../support/poll-delay.js";

const ALONE: PollLoad = { inFlight: 1, perSec: undefined };
const noJitter = () => 0;
const poll = { first_ms: 8000, every_ms: [4000, 8000, 15_000], deadline_sec: 900 };
const output = { kind: "image", files: "/", encoding: "url" } as const;

const age = fc.nat(2_000_000);
const jitter = fc.double({ min: 0, max: 1, noNaN: true });
const inFlight = fc.integer({ min: 0, max: 20_000 });
/** Any schedule, and any limit. */
const anySteps: fc.Arbitrary<PollStep[]> = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 60_000 }), fc.integer({ min: 1, max: 900_000 })), {
    minLength: 1,
    maxLength: 6,
  })
  .map((steps) => {
    const ends = steps.map(([, untilMs]) => untilMs).sort((one, other) => one - other);
    const pauses = steps.map(([everyMs]) => everyMs).sort((one, other) => one - other);
    return pauses.map((every_ms, index) => ({
      every_ms,
      ...(index < pauses.length - 1 && { until_sec: (ends[index] ?? 0) / 1000 }),
    }));
  });
const anyLimit = fc.double({ min: 0.1, max: 200, noNaN: true });

describe("the pause between polls", () => {
  test("follows the mapping where its service has no schedule: the first, then each, then the last again", () => {
    const steps = mappingSteps(poll);
    const at = (ageMs: number) => taskPauseMs(steps, ageMs, ALONE, noJitter);
    expect([0, 7000, 8000, 10_000, 12_000, 17_000, 20_000, 800_000].map(at)).toEqual([
      8000, 8000, 4000, 4000, 8000, 8000, 15_000, 15_000,
    ]);
  });

  test("follows the service's schedule for the kind of file, by the age of the task", () => {
    const polls = { image: [{ every_ms: 500, until_sec: 15 }, { every_ms: 2000 }] };
    const steps = pollSteps({ poll, output }, { polls });
    const at = (ageMs: number) => taskPauseMs(steps, ageMs, ALONE, noJitter);
    expect([0, 14_999, 15_000, 900_000].map(at)).toEqual([500, 500, 2000, 2000]);
    expect(pollSteps({ poll, output: { ...output, kind: "video" } }, { polls })).toEqual(mappingSteps(poll));
  });

  test.each([
    [12, 1500],
    [25, 3000],
    [1000, 120_000],
  ])("grows with the tasks at a service that allows 10 polls a second: %i tasks", (tasks, expected) => {
    const steps = [{ every_ms: 1500 }];
    expect(taskPauseMs(steps, 5000, { inFlight: tasks, perSec: 10 }, noJitter)).toBe(expected);
  });

  test("never brings a first poll later than 10 s after the acceptance", () => {
    fc.assert(
      fc.property(anySteps, inFlight, anyLimit, jitter, (steps, tasks, perSec, random) => {
        const load = { inFlight: tasks, perSec };
        expect(taskPauseMs(steps, 0, load, () => random)).toBeLessThanOrEqual(10_000);
      }),
    );
  });

  test("is a whole number, and jitter only shortens it, by a tenth at most", () => {
    fc.assert(
      fc.property(anySteps, age, inFlight, anyLimit, jitter, (steps, ageMs, tasks, perSec, random) => {
        const load = { inFlight: tasks, perSec };
        const pauseMs = taskPauseMs(steps, ageMs, load, () => random);
        const longest = taskPauseMs(steps, ageMs, load, noJitter);
        expect(Number.isSafeInteger(pauseMs)).toBe(true);
        expect(pauseMs).toBeLessThanOrEqual(longest);
        expect(pauseMs).toBeGreaterThanOrEqual(longest * 0.9 - 1);
      }),
    );
  });

  test("never has all tasks together exceed the service's limit, whatever their ages", () => {
    const tasks = fc.array(
      fc.tuple(
        age.map((ageMs) => ageMs + 1),
        jitter,
      ),
      { minLength: 1, maxLength: 300 },
    );
    fc.assert(
      fc.property(anySteps, anyLimit, tasks, (steps, perSec, all) => {
        const load = { inFlight: all.length, perSec };
        const pollsPerSec = all.reduce(
          (sum, [ageMs, random]) => sum + 1000 / taskPauseMs(steps, ageMs, load, () => random),
          0,
        );
        expect(pollsPerSec).toBeLessThanOrEqual(perSec);
      }),
    );
  });
});

describe("the schedules of the catalogue", () => {
  const settingsOf = (service: string) => {
    const settings = catalogue.services[service];
    if (!settings) throw new Error(service);
    return settings;
  };

  test("grow slower with the age of a task", () => {
    for (const { polls = {} } of Object.values(catalogue.services))
      for (const steps of Object.values(polls)) {
        const pauses = steps.map(({ every_ms }) => every_ms);
        expect(pauses).toEqual([...pauses].sort((one, other) => one - other));
      }
  });

  test.each(
    RECORDED_WORK.flatMap(({ service, kind, durationsSec }) =>
      durationsSec.map((sec) => [service, kind, sec] as const),
    ),
  )("add 5 %% at most to work of %s (%s) that lasts %i s", (service, kind, sec) => {
    const settings = settingsOf(service);
    const steps = pollSteps({ poll, output: { ...output, kind } }, settings);
    const meanMs = pollDelayMs(steps, { inFlight: 1, perSec: settings.polls_per_sec }, sec * 1000);
    expect(meanMs).toBeLessThanOrEqual(sec * 50);
  });
});
