import { SECOND_MS } from "../../../platform/units.js";
import type { PollSchedule } from "../../../routes/route.js";

const JITTER = 0.1;
/** Between looks at a task past its deadline, as a part of the deadline. */
const LATE_PART = 0.1;
const LATE_PAUSE_MIN_MS = 60 * SECOND_MS;
/** A task past this many deadlines is not looked at again. */
const LATE_DEADLINES = 3;

/** Pause before the next look at a task that was accepted `ageMs` ago. Jitter only shortens it. */
export function pollPauseMs(
  { first_ms, every_ms }: PollSchedule,
  ageMs: number,
  random: () => number = Math.random,
): number {
  let at = first_ms;
  let pauseMs = first_ms;
  for (const everyMs of every_ms) {
    // Looks before it came as much earlier.
    if (ageMs < at * (1 - JITTER)) break;
    pauseMs = everyMs;
    at += everyMs;
  }
  return Math.round(pauseMs * (1 - JITTER * random()));
}

export function deadlineMs({ deadline_sec }: PollSchedule): number {
  return deadline_sec * SECOND_MS;
}

export function latePauseMs(poll: PollSchedule): number {
  return Math.max(LATE_PAUSE_MIN_MS, deadlineMs(poll) * LATE_PART);
}

/** When looks at a late task end, in ms after its acceptance. */
export function lateLooksMs(poll: PollSchedule): number {
  return deadlineMs(poll) * LATE_DEADLINES;
}
