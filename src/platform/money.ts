/** An amount of money: an integer number of kopecks (1/100 ruble). */
export type Kopecks = number;

const RUBLES = /^(\d{1,10})(?:[.,](\d{1,2}))?$/;

/**
 * Reads an amount of rubles as a person types it: digits, then at most two decimals
 * behind a point or a comma. Anything else (signs, exponents, blanks) is `undefined`.
 */
export function parseRubles(text: string): Kopecks | undefined {
  const match = RUBLES.exec(text);
  if (!match) return undefined;
  const [, whole = "0", fraction = ""] = match;
  return Number(whole) * 100 + Number(fraction.padEnd(2, "0"));
}

/** Rubles of JSON or of the catalogue (a number with at most two decimals) in kopecks. */
export function kopecksOf(rubles: number): Kopecks {
  return Math.round(rubles * 100);
}

/** Kopecks as the rubles of the contract: a number, fractional where needed. */
export function rublesOf(kopecks: Kopecks): number {
  return kopecks / 100;
}
