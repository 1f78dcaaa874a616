import { found, isIn } from "./find-words.js";
import { NUMBERS } from "./lexicon.js";

/** A number stands at most so many words before what it counts ("two red cats"). */
const DISTANCE_MAX = 2;

const COUNTS: Readonly<Record<keyof typeof NUMBERS, number>> = { two: 2, three: 3, four: 4, five: 5 };

/** The number that stands before the first word of a lexicon's entry; `undefined` where there is none. */
export function countBefore(words: readonly string[], entry: string): number | undefined {
  const at = words.findIndex((word) => isIn(word, entry));
  const before = words.slice(Math.max(0, at - DISTANCE_MAX), Math.max(0, at));
  const name = found(before, NUMBERS).at(-1);
  return name && COUNTS[name];
}
