import type { Field } from "./field.js";

/** Words for booleans (section 9). Numeric words are also accepted as numbers. */
const WORDS: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  ...[true, "true", "1", 1, "yes", "on"].map((word) => [word, true] as const),
  ...[false, "false", "0", 0, "no", "off"].map((word) => [word, false] as const),
]);

/** Reads a boolean or a word for one, in any case. Anything else becomes the default. */
export function readFlag({ value, parameter }: Field): boolean | undefined {
  if (!parameter) return undefined;
  const word = typeof value === "string" ? value.trim().toLowerCase() : value;
  return WORDS.get(word) ?? parameter.default === true;
}
