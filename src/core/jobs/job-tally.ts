import { GENERATION_TYPES, type GenerationType } from "../../contract/model.js";

/** A number of jobs of each kind. */
export type JobTally = Record<GenerationType, number>;

/** A tally of nothing. */
export function emptyTally(): JobTally {
  return Object.fromEntries(GENERATION_TYPES.map((type) => [type, 0])) as JobTally;
}
