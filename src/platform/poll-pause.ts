import { MINUTE_MS, SECOND_MS } from "./units.js";

/** The pause is a tenth of the age, up to this. */
const USUAL_PAUSE_MAX_MS = 30 * SECOND_MS;
/** From an age of six hours the pause grows again, to this at an age of seven and a half days. */
const RARE_PAUSE_MAX_MS = 15 * MINUTE_MS;
const RARE_PART = 1 / 720;
const JITTER = 0.2;

/** Pause before the next poll of a row of this age, in ms. Jitter only shortens it. */
export function pollPauseMs(ageMs: number, firstPauseMs: number, random: () => number = Math.random): number {
  const usual = Math.min(ageMs / 10, USUAL_PAUSE_MAX_MS);
  const rare = Math.min(ageMs * RARE_PART, RARE_PAUSE_MAX_MS);
  const pauseMs = Math.max(firstPauseMs, usual, rare);
  return Math.round(pauseMs * (1 - JITTER * random()));
}
