import { readFileSync, statSync } from "node:fs";
import { reasonOf } from "../platform/errors.js";
import { Slices } from "../platform/slices.js";
import { MEGABYTE } from "../platform/units.js";
import { normalise, partsOf, plainText, type Reading, singled, type Unit } from "./normalise.js";
import { compileSafePattern, PatternError, type SafePattern } from "./safe-pattern.js";

/** A line of the operator's file. */
export interface RulePlace {
  file: string;
  line: number;
  /** The rule as it is written there. */
  text: string;
}

/** A word of a rule: exactly it, or every word that begins with it. */
interface RuleWord {
  text: string;
  /** The text with each repeated letter once. */
  single: string;
  isStem: boolean;
}

type Rule = RulePlace &
  (
    | { kind: "words"; words: readonly [RuleWord, ...RuleWord[]] }
    /** A word of each group, near one another, in any order. */
    | { kind: "together"; groups: readonly (readonly RuleWord[])[] }
    | { kind: "exception"; word: RuleWord }
    | { kind: "pattern"; pattern: SafePattern }
  );

const LINES_MAX = 20_000;
const LINE_LENGTH_MAX = 500;
const WORDS_MAX = 6;
const STEM_MIN = 3;
/** Steps of all patterns of a file together. */
const STEPS_MAX = 50_000;

/** Thrown for a line that is no rule. The message is one line for the operator. */
class RuleError extends Error {
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
      const rule = readRule({ file, line: index + 1, text: line });
      if (rule.kind === "pattern") steps += rule.pattern.steps;
      if (steps > STEPS_MAX) throw new RuleError("too many long patterns in one file");
      return [rule];
    } catch (error) {
      if (!(error instanceof RuleError || error instanceof PatternError)) throw error;
      throw new RuleError(`${file}: line ${index + 1}: ${error.message}`);
    }
  });
}

function readRule(place: RulePlace): Rule {
  const { text } = place;
  if (text.length > LINE_LENGTH_MAX) throw new RuleError(`longer than ${LINE_LENGTH_MAX} characters`);
  if (text.startsWith("/")) {
    if (text.length < 3 || !text.endsWith("/")) throw new RuleError("a pattern stands between two slashes");
    return { ...place, kind: "pattern", pattern: compileSafePattern(text.slice(1, -1)) };
  }
  if (text.startsWith("!")) {
    const [word, ...more] = readWords(text.slice(1));
    if (more.length > 0) throw new RuleError("an exception is one word");
    return { ...place, kind: "exception", word };
  }
  const groups = text.split(/\s+\+\s+/);
  if (groups.length > 1) return { ...place, kind: "together", groups: groups.map(readGroup) };
  return { ...place, kind: "words", words: readWords(text) };
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

/** Words between those of a group, at most. */
const NEAR_WORDS = 12;
/** A word within spelled letters, and one with a letter too many, has so many letters at least. */
const HIDDEN_WORD_MIN = 4;
/** A part of a word that is made of several words of a rule. */
const JOINED_PART_MIN = 3;
const ENDING_MAX = 4;

type WordsRule = Extract<Rule, { kind: "words" }>;
type GroupRule = Extract<Rule, { kind: "together" }>;
/** The place of a word: `group` is its place in the rule. */
type Use = { rule: WordsRule | GroupRule; group: number } | { rule: undefined };
type Place = Pick<Unit, "from" | "to">;
interface Found {
  word: RuleWord;
  end: number;
}

/** The operator's rules, ready to judge texts. */
export class WordList {
  readonly #patterns: readonly Extract<Rule, { kind: "pattern" }>[];
  readonly #uses = new Map<RuleWord, Use>();
  readonly #texts = new WordTree();
  readonly #singles = new WordTree();
  readonly #slices = new Slices();

  constructor(private readonly rules: readonly Rule[]) {
    this.#patterns = rules.filter((rule) => rule.kind === "pattern");
    for (const rule of rules) {
      if (rule.kind === "exception") this.#add(rule.word, { rule: undefined });
      if (rule.kind === "words")
        for (const [group, word] of rule.words.entries()) this.#add(word, { rule, group });
      if (rule.kind === "together")
        for (const [group, words] of rule.groups.entries())
          for (const word of words) this.#add(word, { rule, group });
    }
  }

  /**
   * Resolves with the rule that refuses a text. Undefined: none does. The work grows with the length of the text alone,
   * and lets the event loop go on every few ms.
   */
  async refusing(text: string): Promise<RulePlace | undefined> {
    if (this.rules.length === 0 || text === "") return undefined;
    const pause = this.#slices.begin();
    const { plain, words, torn } = await normalise(text, pause);
    const byStart = Map.groupBy([...words, ...torn], ({ from }) => from);
    const near = new NearWords();
    for (const units of [words, torn])
      for (const unit of units) {
        await pause();
        const found = this.#inUnit(unit, byStart, near);
        if (found) return found;
      }
    return (await near.rule(pause)) ?? this.#patternIn(plain, words, pause);
  }

  #add(word: RuleWord, use: Use): void {
    this.#uses.set(word, use);
    this.#texts.add(word.text, word);
    this.#singles.add(word.single, word);
  }

  #inUnit(unit: Unit, byStart: ReadonlyMap<number, Unit[]>, near: NearWords): RulePlace | undefined {
    const isException = unit.readings.some((reading) =>
      this.#at(reading, 0).some((found) => !this.#uses.get(found.word)?.rule && isWhole(found, reading)),
    );
    for (const reading of unit.readings) {
      const starts = unit.isSpelled ? reading.text.length : 1;
      for (let start = 0; start < starts; start += 1)
        for (const found of this.#at(reading, start)) {
          const use = this.#uses.get(found.word);
          if (!use?.rule) continue;
          const { rule, group } = use;
          const isHit = isWordOf(found, reading, unit, start);
          if (isHit && rule.kind === "together") near.add(rule, group, placeOf(unit, start, found.end));
          if (isException) continue;
          const isRow = isHit && rule.kind === "words" && group === 0;
          if (isRow && this.#goesOn(rule, 1, unit.to + 1, byStart)) return rule;
          if (this.#isJoined(rule, found, reading, unit.isSpelled)) return rule;
        }
    }
    return undefined;
  }

  /** Tells whether the words of a rule from the `nth` on stand from a place on. */
  #goesOn({ words }: WordsRule, nth: number, place: number, byStart: ReadonlyMap<number, Unit[]>): boolean {
    let places = new Set([place]);
    for (const word of words.slice(nth)) {
      const next = [...places].flatMap((from) => byStart.get(from) ?? []);
      places = new Set(next.filter((unit) => isUnit(word, unit)).map(({ to }) => to + 1));
    }
    return places.size > 0;
  }

  /** Tells whether the words of a rule follow each other within one word. */
  #isJoined(rule: WordsRule | GroupRule, first: Found, reading: Reading, isSpelled: boolean): boolean {
    const count = rule.kind === "words" ? rule.words.length : rule.groups.length;
    if (count === 1 || first.end === reading.text.length) return false;
    const isOrdered = rule.kind === "words";
    const follows = (before: Found, used: readonly number[]): boolean => {
      if (used.length === count) return isSpelled || before.word.isStem || before.end === reading.text.length;
      for (let gap = 0; gap <= (before.word.isStem ? ENDING_MAX : 0); gap += 1)
        for (const found of this.#at(reading, before.end + gap)) {
          const use = this.#uses.get(found.word);
          if (use?.rule !== rule || used.includes(use.group)) continue;
          if (isOrdered && use.group !== used.length) continue;
          if (found.word.text.length < (gap > 0 ? HIDDEN_WORD_MIN : JOINED_PART_MIN)) continue;
          if (follows(found, [...used, use.group])) return true;
        }
      return false;
    };
    const use = this.#uses.get(first.word);
    if (!use?.rule || (isOrdered && use.group !== 0)) return false;
    return (!isSpelled || first.word.text.length >= JOINED_PART_MIN) && follows(first, [use.group]);
  }

  #at(reading: Reading, start: number): Found[] {
    if (!reading.singled) return this.#texts.at(reading.text, start);
    const found = this.#singles.at(reading.text, start);
    return reading.singled === "all"
      ? found
      : found.filter(({ word }) => word.text.length >= HIDDEN_WORD_MIN);
  }

  /** Tries the patterns on the text, and on its words in their other readings. */
  async #patternIn(
    plain: string,
    words: readonly Unit[],
    pause: () => Promise<void>,
  ): Promise<RulePlace | undefined> {
    if (this.#patterns.length === 0) return undefined;
    const read = (nth: number) =>
      words.map(({ readings }) => (readings[nth] ?? readings[0])?.text ?? "").join(" ");
    const most = words.reduce((max, { readings }) => Math.max(max, readings.length), 1);
    const texts = new Set([plain]);
    for (let nth = 0; nth < most; nth += 1) {
      texts.add(read(nth));
      await pause();
    }
    for (const rule of this.#patterns)
      for (const text of texts) {
        await pause();
        if (await rule.pattern.isIn(text, pause)) return rule;
      }
    return undefined;
  }
}

function isWhole({ word, end }: Found, { text, singled }: Reading): boolean {
  return end === text.length || (word.isStem && singled !== "some");
}

/** Tells whether a word of a rule that begins at `start` of a unit is one there. */
function isWordOf(found: Found, reading: Reading, { isSpelled }: Unit, start: number): boolean {
  if (isSpelled && found.word.text.length >= HIDDEN_WORD_MIN) return true;
  return start === 0 && (isSpelled ? found.end === reading.text.length : isWhole(found, reading));
}

function isUnit(word: RuleWord, { readings, isSpelled }: Unit): boolean {
  return readings.some((reading) => {
    if (reading.singled === "some" && word.text.length < HIDDEN_WORD_MIN) return false;
    const asked = reading.singled ? word.single : word.text;
    if (isSpelled && word.text.length >= HIDDEN_WORD_MIN) return reading.text.startsWith(asked);
    const canGoOn = word.isStem && reading.singled !== "some" && !isSpelled;
    return canGoOn ? reading.text.startsWith(asked) : reading.text === asked;
  });
}

/** Spelled letters are words of the text themselves, one each. */
function placeOf({ from, to, isSpelled }: Unit, start: number, end: number): Place {
  return isSpelled ? { from: Math.min(from + start, to), to: Math.min(from + end - 1, to) } : { from, to };
}

/** Words of rules by their letters. */
class WordTree {
  readonly #next = new Map<string, WordTree>();
  readonly #words: RuleWord[] = [];

  add(letters: string, word: RuleWord): void {
    let tree: WordTree = this;
    for (let at = 0; at < letters.length; at += 1) {
      tree = tree.#next.getOrInsertComputed(letters.charAt(at), () => new WordTree());
    }
    tree.#words.push(word);
  }

  /** Finds the words that begin at a place of a text, the longest first. */
  at(text: string, start: number): Found[] {
    const found: Found[] = [];
    let tree: WordTree | undefined = this;
    for (let end = start; end < text.length; ) {
      tree = tree.#next.get(text.charAt(end));
      if (!tree) break;
      end += 1;
      for (const word of tree.#words) found.push({ word, end });
    }
    return found.reverse();
  }
}

/** Words of groups that were found, by the place at which they begin. */
class NearWords {
  readonly #found = new Map<GroupRule, Map<number, Place[]>[]>();

  add(rule: GroupRule, group: number, place: Place): void {
    const groups = this.#found.getOrInsertComputed(rule, () => rule.groups.map(() => new Map()));
    const places = groups[group]?.get(place.from) ?? [];
    if (places.every(({ to }) => to !== place.to)) groups[group]?.set(place.from, [...places, place]);
  }

  /** Resolves with a rule of whose groups one word each stands near the others. */
  async rule(pause: () => Promise<void>): Promise<GroupRule | undefined> {
    for (const [rule, [first = new Map<number, Place[]>(), ...others]] of this.#found)
      for (const place of [...first.values()].flat()) {
        await pause();
        if (others.every((places) => isBeside(place, places))) return rule;
      }
    return undefined;
  }
}

function isBeside({ from, to }: Place, others: ReadonlyMap<number, readonly Place[]>): boolean {
  // A word that signs or spaces tear apart begins as many places before its end as it has pieces.
  for (let at = from - 4 * NEAR_WORDS; at <= to + NEAR_WORDS; at += 1)
    for (const other of others.get(at) ?? [])
      if (other.from > to || (other.to < from && from - other.to <= NEAR_WORDS)) return true;
  return false;
}

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
