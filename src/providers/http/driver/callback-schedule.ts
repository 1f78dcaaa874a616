import { MINUTE_MS, SECOND_MS } from "../../../platform/units.js";

/** Between polls of a task whose service is expected to call when it has ended. */
const PAUSE_MIN_MS = 30 * SECOND_MS;
const PAUSE_MAX_MS = 60 * SECOND_MS;
/** From this age on the pause is the longest. */
const LONGEST_AT_MS = 5 * MINUTE_MS;
const JITTER = 0.1;

/** Pause before the next poll, in case the callback is lost, at a task that was accepted `ageMs` ago. */
export function callbackPauseMs(ageMs: number, random: () => number = Math.random): number {
  const part = Math.min(1, Math.max(0, ageMs) / LONGEST_AT_MS);
  const pauseMs = PAUSE_MIN_MS + (PAUSE_MAX_MS - PAUSE_MIN_MS) * part;
  return Math.round(Math.min(PAUSE_MAX_MS, pauseMs * (1 + JITTER * random())));
}
