import { TEXT_LENGTH_MAX } from "./formatted-text.js";

/** Ends of a part from the best to the worst: after a paragraph, a line, a sentence, a word. */
const BREAKS: readonly RegExp[] = [/\n\n/g, /\n/g, /[.!?…]\s/g, /\s/g];

/**
 * The parts in which a client sends a text that is too long for one message: cut at the last best
 * place in the second half of what fits, and trimmed.
 */
export function splitText(text: string): string[] {
  const parts: string[] = [];
  let rest = [...text.trim()];
  while (rest.length > TEXT_LENGTH_MAX) {
    const end = bestEnd(rest.slice(0, TEXT_LENGTH_MAX));
    parts.push(rest.slice(0, end).join("").trim());
    rest = [...rest.slice(end).join("").trimStart()];
  }
  return [...parts, rest.join("")];
}

/** How many code points of what fits belong to the part. */
function bestEnd(fitting: readonly string[]): number {
  const half = Math.floor(fitting.length / 2);
  const second = fitting.slice(half).join("");
  for (const pattern of BREAKS) {
    const found = [...second.matchAll(pattern)].at(-1);
    if (found) return half + [...second.slice(0, found.index + found[0].length)].length;
  }
  return fitting.length;
}
