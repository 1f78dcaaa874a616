import type { Word } from "./normalise.js";
import type { Rule, RuleWord } from "./rule.js";

type WordsRule = Extract<Rule, { kind: "words" }>;

/** Rules by the word that they begin with: a text is looked at once, however many rules there are. */
export class WordIndex {
  readonly #exact = new Map<string, WordsRule[]>();
  readonly #stems = new Map<string, WordsRule[]>();
  #longestStem = 0;

  constructor(rules: readonly WordsRule[]) {
    for (const rule of rules) {
      const { text, isStem } = rule.words[0];
      const index = isStem ? this.#stems : this.#exact;
      index.set(text, [...(index.get(text) ?? []), rule]);
      if (isStem) this.#longestStem = Math.max(this.#longestStem, text.length);
    }
  }

  /** Finds a rule whose words stand from the place on. */
  at(words: readonly Word[], place: number): WordsRule | undefined {
    return words[place]
      ?.flatMap((reading) => this.#startingWith(reading))
      .find((rule) => rule.words.every((part, offset) => isPart(part, words[place + offset])));
  }

  /** Finds a rule of one word of `min` letters at least that stands anywhere in the letters. */
  within(letters: string, min: number): WordsRule | undefined {
    for (let from = 0; from + min <= letters.length; from += 1)
      for (let to = from + min; to <= letters.length; to += 1) {
        const part = letters.slice(from, to);
        const found = [...(this.#exact.get(part) ?? []), ...(this.#stems.get(part) ?? [])];
        const rule = found.find(({ words }) => words.length === 1);
        if (rule) return rule;
      }
    return undefined;
  }

  #startingWith(word: string): WordsRule[] {
    const found = [...(this.#exact.get(word) ?? [])];
    for (let length = Math.min(word.length, this.#longestStem); length > 0; length -= 1)
      found.push(...(this.#stems.get(word.slice(0, length)) ?? []));
    return found;
  }
}

/** Tells whether a word is the one of a rule in any of its readings. */
export function isPart({ text, isStem }: RuleWord, word: Word | undefined): boolean {
  return word?.some((reading) => (isStem ? reading.startsWith(text) : reading === text)) ?? false;
}
