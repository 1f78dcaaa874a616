import { GENERATION_TYPES, type GenerationType } from "../../contract/model.js";

export type JobTally = Record<GenerationType, number>;

export function emptyTally(): JobTally {
  return Object.fromEntries(GENERATION_TYPES.map((type) => [type, 0])) as JobTally;
}
