import { normalise, type Word } from "./normalise.js";
import type { Rule, RulePlace, RuleWord } from "./rule.js";
import { isPart, WordIndex } from "./word-index.js";

/** Words between those of a group, at most. */
const NEAR_WORDS = 12;
const SPELLED_WORD_MIN = 4;
/** Spelled letters are looked at so far: no one writes more that way. */
const SPELLED_MAX = 60;

/** The operator's rules, ready to judge texts. */
export class WordList {
  readonly #index: WordIndex;
  readonly #exceptions: readonly RuleWord[];
  readonly #together: readonly Extract<Rule, { kind: "together" }>[];
  readonly #patterns: readonly Extract<Rule, { kind: "pattern" }>[];

  constructor(rules: readonly Rule[]) {
    this.#index = new WordIndex(rules.filter((rule) => rule.kind === "words"));
    this.#exceptions = rules.filter((rule) => rule.kind === "exception").map(({ word }) => word);
    this.#together = rules.filter((rule) => rule.kind === "together");
    this.#patterns = rules.filter((rule) => rule.kind === "pattern");
  }

  /** Returns the rule that refuses a text. Undefined: none does. */
  refusing(text: string): RulePlace | undefined {
    const { plain, words, glued, spelled } = normalise(text);
    return (
      this.#wordsIn(words) ??
      this.#first(glued, (word) => this.#wordsIn([word])) ??
      this.#first(spelled.flat(), (letters) =>
        this.#index.within(letters.slice(0, SPELLED_MAX), SPELLED_WORD_MIN),
      ) ??
      this.#together.find(({ groups }) => isNear(groups.map((group) => placesOf(group, words)))) ??
      this.#patternIn(plain, words)
    );
  }

  #wordsIn(words: readonly Word[]): RulePlace | undefined {
    for (const [place, word] of words.entries()) {
      if (this.#exceptions.some((exception) => isPart(exception, word))) continue;
      const rule = this.#index.at(words, place);
      if (rule) return rule;
    }
    return undefined;
  }

  /** Tries the patterns on the text, and on its words in their other readings. */
  #patternIn(plain: string, words: readonly Word[]): RulePlace | undefined {
    if (this.#patterns.length === 0) return undefined;
    const read = (nth: number) => words.map((word) => word[nth] ?? word[0] ?? "").join(" ");
    const most = Math.max(1, ...words.map((word) => word.length));
    const texts = new Set([plain, ...Array.from({ length: most }, (_, nth) => read(nth))]);
    return this.#patterns.find(({ pattern }) => [...texts].some((text) => pattern.regExp.test(text)));
  }

  #first<T>(items: readonly T[], find: (item: T) => RulePlace | undefined): RulePlace | undefined {
    for (const item of items) {
      const found = find(item);
      if (found) return found;
    }
    return undefined;
  }
}

function placesOf(group: readonly RuleWord[], words: readonly Word[]): number[] {
  return words.flatMap((word, place) => (group.some((part) => isPart(part, word)) ? [place] : []));
}

function isNear([first = [], ...others]: readonly (readonly number[])[]): boolean {
  const isBeside = (place: number, other: number) => other !== place && Math.abs(other - place) <= NEAR_WORDS;
  return first.some((place) => others.every((places) => places.some((other) => isBeside(place, other))));
}
