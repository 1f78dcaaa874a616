import { MINUTE_MS, SECOND_MS } from "./units.js";

/** Limits the pause, which is a tenth of the age. */
const USUAL_PAUSE_MAX_MS = 30 * SECOND_MS;
/** Longest pause, at an age of seven and a half days; it grows again from an age of six hours. */
const RARE_PAUSE_MAX_MS = 15 * MINUTE_MS;
const RARE_PART = 1 / 720;
const JITTER = 0.2;

/** Computes the pause before the next poll of a row of this age, in ms. Jitter only shortens it. */
export function pollPauseMs(ageMs: number, firstPauseMs: number, random: () => number = Math.random): number {
  const usual = Math.min(ageMs / 10, USUAL_PAUSE_MAX_MS);
  const rare = Math.min(ageMs * RARE_PART, RARE_PAUSE_MAX_MS);
  const pauseMs = Math.max(firstPauseMs, usual, rare);
  return Math.round(pauseMs * (1 - JITTER * random()));
}
