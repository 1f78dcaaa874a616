import type { SafePattern } from "./safe-pattern.js";

/** A line of the operator's file. */
export interface RulePlace {
  file: string;
  line: number;
  /** The rule as it is written there. */
  text: string;
}

/** A word of a rule: exactly it, or every word that begins with it. */
export interface RuleWord {
  text: string;
  /** The text with each repeated letter once. */
  single: string;
  isStem: boolean;
}

export type Rule = RulePlace &
  (
    | { kind: "words"; words: readonly [RuleWord, ...RuleWord[]] }
    /** A word of each group, near one another, in any order. */
    | { kind: "together"; groups: readonly (readonly RuleWord[])[] }
    | { kind: "exception"; word: RuleWord }
    | { kind: "pattern"; pattern: SafePattern }
  );
