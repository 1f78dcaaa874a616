declare const brand: unique symbol;

/** Whole number of kopecks (1/100 ruble). A computed one has to pass `asKopecks`. */
export type Kopecks = number & { readonly [brand]: "kopecks" };

/** Rejects a fraction with a RangeError: whoever divides says how it is rounded. */
export function asKopecks(value: number): Kopecks {
  if (!Number.isSafeInteger(value)) throw new RangeError(`not a sum of kopecks: ${value}`);
  return value as Kopecks;
}

export const NO_KOPECKS = asKopecks(0);

export function sumOf(sums: readonly Kopecks[]): Kopecks {
  return asKopecks(sums.reduce((total, one) => total + one, 0));
}

/** Returns what is left of a sum after another one was taken from it; never below zero. */
export function leftOf(whole: Kopecks, taken: Kopecks): Kopecks {
  return asKopecks(Math.max(0, whole - taken));
}

const RUBLES = /^(\d{1,10})(?:[.,](\d{1,2}))?$/;

/** Parses rubles as a person types them: digits, and at most two decimals after a point or a comma. */
export function parseRubles(text: string): Kopecks | undefined {
  const match = RUBLES.exec(text);
  if (!match) return undefined;
  const [, whole = "0", fraction = ""] = match;
  return asKopecks(Number(whole) * 100 + Number(fraction.padEnd(2, "0")));
}

/** Converts rubles of JSON (at most two decimals) to kopecks. */
export function kopecksOf(rubles: number): Kopecks {
  return asKopecks(Math.round(rubles * 100));
}

/** Converts kopecks to the rubles of the contract, fractional if needed. */
export function rublesOf(kopecks: number): number {
  return kopecks / 100;
}
