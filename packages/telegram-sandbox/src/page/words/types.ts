import type { en } from "./en.js";

/** A text for each form of a number that a language has; `#` is the number. */
export type Counted = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string };

type Of<T> = {
  [K in keyof T]: T[K] extends string
    ? string
    : T[K] extends { other: string }
      ? Counted
      : T[K] extends (...values: infer A) => string
        ? (...values: A) => string
        : Of<T[K]>;
};

/** The page's own words in one language. */
export type Words = Of<typeof en>;
