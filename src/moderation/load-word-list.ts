import { readFileSync, statSync } from "node:fs";
import { reasonOf } from "../platform/reason-of.js";
import { MEGABYTE } from "../platform/units.js";
import { RuleError, readRules } from "./read-rules.js";
import { WordList } from "./word-list.js";

/** Reads the operator's files. Throws RuleError with one line that names file and line. */
export function loadWordList(files: readonly string[]): WordList {
  return new WordList(files.flatMap((file) => readRules(file, textOf(file))));
}

function textOf(file: string): string {
  try {
    if (statSync(file).size > MEGABYTE) throw new RuleError(`${file}: larger than 1 MB`);
    return readFileSync(file, "utf8");
  } catch (error) {
    if (error instanceof RuleError) throw error;
    throw new RuleError(`${file}: cannot be read (${reasonOf(error)})`);
  }
}
