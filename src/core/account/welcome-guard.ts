import { DAY_MS } from "../../platform/units.js";
import type { User } from "../../ports/gateway.js";

const AGE_MIN_MS = 30 * DAY_MS;
const LETTER = /\p{L}/u;

/** Judges who gets a welcome credit at first contact. */
export interface WelcomeGuard {
  /** Returns the latest time by which a user id was given out, in ms since the epoch. Undefined where nobody knows. */
  latestBirthOf(userId: number): number | undefined;
}

/** Tells whether a person looks real: they have a name, and an id that is known to be older than 30 days. */
export function looksReal({ id, name }: User, { latestBirthOf }: WelcomeGuard, at: number): boolean {
  const bornBy = latestBirthOf(id);
  return LETTER.test(name) && bornBy !== undefined && at - bornBy >= AGE_MIN_MS;
}
