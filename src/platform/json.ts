import { readFileSync } from "node:fs";
import { reasonOf } from "./errors.js";

/** Returns undefined for what is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Limits nesting: no service nests its answers so deep. */
const DEPTH_MAX = 100;
/** Limits the values of an answer: a list of a hundred tasks has a third of them. */
const VALUES_MAX = 20_000;
const [QUOTE, BACKSLASH, COMMA] = [34, 92, 44];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125];

/** Finds JSON whose depth, or number of values, would hold up whoever parses or checks it. */
export function isUnwieldy(text: string, valuesMax = VALUES_MAX): boolean {
  let depth = 0;
  let values = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === COMMA) values += 1;
    else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      depth += 1;
      values += 1;
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth -= 1;
    if (depth > DEPTH_MAX || values > valuesMax) return true;
  }
  return false;
}

/** Skips a string at once: it may hold the megabytes of a picture. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return at;
  }
  return text.length;
}

/** Reads a file of JSON. Throws what `faultOf` makes of the problem. */
export function readJsonFile(file: string, faultOf: (problem: string) => Error): unknown {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw faultOf(`cannot be read: ${reasonOf(error)}`);
  }
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw faultOf(`is not valid JSON: ${reasonOf(error)}`);
  }
}
