import { partsOf, plainText, singled } from "./normalise.js";
import type { Rule, RuleWord } from "./rule.js";
import { compileSafePattern, PatternError } from "./safe-pattern.js";

const LINES_MAX = 20_000;
const LINE_LENGTH_MAX = 500;
const WORDS_MAX = 6;
const STEM_MIN = 3;
/** Steps of all patterns of a file together. */
const STEPS_MAX = 50_000;

/** Thrown for a line that is no rule. The message is one line for the operator. */
export class RuleError extends Error {
  override readonly name = "RuleError";
}

/** Reads the rules of a file. Throws RuleError of the first line that is none. */
export function readRules(file: string, text: string): Rule[] {
  const lines = text.replace(/^\ufeff/, "").split(/\r?\n/);
  if (lines.length > LINES_MAX) throw new RuleError(`${file}: more than ${LINES_MAX} lines`);
  let steps = 0;
  return lines.flatMap((given, index) => {
    const line = given.trim();
    if (line === "" || line.startsWith("#")) return [];
    try {
      const rule = readRule(line);
      if (rule.kind === "pattern") steps += rule.pattern.steps;
      if (steps > STEPS_MAX) throw new RuleError("too many long patterns in one file");
      return [{ ...rule, file, line: index + 1, text: line }];
    } catch (error) {
      if (!(error instanceof RuleError || error instanceof PatternError)) throw error;
      throw new RuleError(`${file}: line ${index + 1}: ${error.message}`);
    }
  });
}

type NewRule = Rule extends infer R ? (R extends Rule ? Omit<R, "file" | "line" | "text"> : never) : never;

function readRule(line: string): NewRule {
  if (line.length > LINE_LENGTH_MAX) throw new RuleError(`longer than ${LINE_LENGTH_MAX} characters`);
  if (line.startsWith("/")) {
    if (line.length < 3 || !line.endsWith("/")) throw new RuleError("a pattern stands between two slashes");
    return { kind: "pattern", pattern: compileSafePattern(line.slice(1, -1)) };
  }
  if (line.startsWith("!")) {
    const [word, ...more] = readWords(line.slice(1));
    if (more.length > 0) throw new RuleError("an exception is one word");
    return { kind: "exception", word };
  }
  const groups = line.split(/\s+\+\s+/);
  if (groups.length > 1) return { kind: "together", groups: groups.map(readGroup) };
  return { kind: "words", words: readWords(line) };
}

function readGroup(group: string): RuleWord[] {
  return group.split("|").map((given) => {
    const [word, ...more] = readWords(given.trim());
    if (more.length > 0) throw new RuleError(`${JSON.stringify(given.trim())} is not one word`);
    return word;
  });
}

function readWords(line: string): [RuleWord, ...RuleWord[]] {
  const words = line.split(/\s+/).flatMap((given) => {
    const isStem = given.endsWith("*");
    const parts = partsOf(plainText(isStem ? given.slice(0, -1) : given));
    if (parts.length === 0 || given.slice(0, -1).includes("*"))
      throw new RuleError(
        `${JSON.stringify(given)} is no word: letters and digits, and a * at its end for any ending`,
      );
    return parts.map((text, index) => ({
      text,
      single: singled(text),
      isStem: isStem && index === parts.length - 1,
    }));
  });
  const [first, ...others] = words;
  if (!first) throw new RuleError("no word");
  if (words.length > WORDS_MAX) throw new RuleError(`more than ${WORDS_MAX} words: shorten it`);
  const short = words.find(({ text, isStem }) => isStem && [...text].length < STEM_MIN);
  if (short) throw new RuleError(`${short.text}* begins too many words: at least ${STEM_MIN} letters`);
  return [first, ...others];
}
