/** Integer number of kopecks (1/100 ruble). */
export type Kopecks = number;

const RUBLES = /^(\d{1,10})(?:[.,](\d{1,2}))?$/;

/** Parses rubles as a person types them: digits, and at most two decimals after a point or a comma. */
export function parseRubles(text: string): Kopecks | undefined {
  const match = RUBLES.exec(text);
  if (!match) return undefined;
  const [, whole = "0", fraction = ""] = match;
  return Number(whole) * 100 + Number(fraction.padEnd(2, "0"));
}

/** Rubles of JSON (at most two decimals) in kopecks. */
export function kopecksOf(rubles: number): Kopecks {
  return Math.round(rubles * 100);
}

/** Rubles of the contract, fractional if needed. */
export function rublesOf(kopecks: Kopecks): number {
  return kopecks / 100;
}
