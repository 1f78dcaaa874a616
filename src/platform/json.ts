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
