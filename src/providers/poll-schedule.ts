import type { PollSchedule } from "../catalogue/mapping.js";
import type { Operation, ServiceSettings } from "../catalogue/operation.js";
import { type Integer, integer } from "../platform/integer.js";
import { MINUTE_MS, SECOND_MS } from "../platform/units.js";

const JITTER = 0.1;
/** Limits the pause before a first poll, however many tasks there are. */
const FIRST_PAUSE_MAX_MS = 10 * SECOND_MS;
/** Part of a service's limit that polls may use by plan. The rest is for results, and for polls that coincide. */
const PLANNED_PART = 1 / 1.2;
/** Pause between polls of a task past its deadline, as a part of the deadline. */
const LATE_PART = 0.1;
const LATE_PAUSE_MIN_MS = 60 * SECOND_MS;
/** Deadlines after which a task is not polled again. */
const LATE_DEADLINES = 3;

/** Pause between polls of tasks that are younger than `until_sec`. The last step has no end. */
export type PollStep = NonNullable<NonNullable<ServiceSettings["polls"]>["image"]>[number];

export interface PollLoad {
  inFlight: number;
  /** Polls a second that the service allows; undefined where no limit is known. */
  perSec: number | undefined;
}

/** Returns the schedule of the service for the kind of file, or else that of the mapping. */
export function pollSteps(
  { poll, output }: Pick<Operation, "poll" | "output">,
  { polls }: Pick<ServiceSettings, "polls">,
): readonly PollStep[] {
  return polls?.[output.kind] ?? mappingSteps(poll);
}

export function mappingSteps({ first_ms, every_ms }: PollSchedule): PollStep[] {
  let at = 0;
  const steps = [first_ms, ...every_ms].map((pauseMs) => {
    at += pauseMs;
    return { every_ms: pauseMs, until_sec: (at * (1 - JITTER)) / SECOND_MS };
  });
  return [...steps.slice(0, -1), { every_ms: every_ms.at(-1) ?? first_ms }];
}

/**
 * Computes the pause in ms before the next poll of a task that was accepted `ageMs` ago: by its age, or longer where
 * all tasks together would come near the service's limit. Jitter only shortens it.
 */
export function taskPauseMs(
  steps: readonly PollStep[],
  ageMs: number,
  { inFlight, perSec }: PollLoad,
  random: () => number = Math.random,
): Integer {
  const isYounger = ({ until_sec = Number.POSITIVE_INFINITY }: PollStep) => ageMs < until_sec * SECOND_MS;
  const byAge = steps.find(isYounger)?.every_ms ?? 0;
  const byLoad = perSec === undefined ? 0 : (inFlight * SECOND_MS) / (perSec * PLANNED_PART);
  const pauseMs = Math.max(byAge, byLoad);
  const wanted = pauseMs * (1 - JITTER * random());
  return integer(ageMs === 0 ? Math.min(wanted, FIRST_PAUSE_MAX_MS) : wanted);
}

export function deadlineMs({ deadline_sec }: PollSchedule): number {
  return deadline_sec * SECOND_MS;
}

export function latePauseMs(poll: PollSchedule): number {
  return Math.max(LATE_PAUSE_MIN_MS, deadlineMs(poll) * LATE_PART);
}

/** Returns when polls of a late task end, in ms after its acceptance. */
export function latePollsMs(poll: PollSchedule): number {
  return deadlineMs(poll) * LATE_DEADLINES;
}

/** Shortest pause between polls of a task whose service is expected to call when it has ended. */
const CALLBACK_PAUSE_MIN_MS = 30 * SECOND_MS;
const CALLBACK_PAUSE_MAX_MS = 60 * SECOND_MS;
/** Age from which on that pause is the longest. */
const LONGEST_AT_MS = 5 * MINUTE_MS;

/** Computes the pause before the next poll, in case the callback is lost, of a task accepted `ageMs` ago. */
export function callbackPauseMs(ageMs: number, random: () => number = Math.random): number {
  const part = Math.min(1, Math.max(0, ageMs) / LONGEST_AT_MS);
  const pauseMs = CALLBACK_PAUSE_MIN_MS + (CALLBACK_PAUSE_MAX_MS - CALLBACK_PAUSE_MIN_MS) * part;
  return Math.round(Math.min(CALLBACK_PAUSE_MAX_MS, pauseMs * (1 + JITTER * random())));
}
