import type { PriceFactors, PriceTable } from "../../contract/model.js";
import { asKopecks, type Kopecks, kopecksOf, rublesOf } from "../../contract/money.js";
import { priceAt } from "../../contract/price.js";

/** The least price of one combination of settings. */
export interface LeastPrice {
  /** Keys into the price table. */
  path: readonly string[];
  hasSound: boolean;
  isFast: boolean;
  kopecks: Kopecks;
}

export interface Prices {
  table: PriceTable;
  factors: PriceFactors;
}

export interface CoverTerms {
  /** Computed prices of the table are multiples of this. */
  step: Kopecks;
  /** Whether prices are made of the least ones, instead of raised to them. Those without a least one stay. */
  isFromLeast: boolean;
}

/** Raises a price table and its factors so that no combination is sold below its least price. */
export function coveringPrices(start: Prices, least: readonly LeastPrice[], terms: CoverTerms): Prices {
  const table = withPrices(start.table, (rubles, path) => coveringRubles(rubles, at(least, path), terms));
  // Of prices that are made, a factor is the ratio of the least ones: rounding the table changes none.
  const plain = ({ path }: LeastPrice) => {
    const made = terms.isFromLeast ? sumsOf(at(least, path).filter(isPlain)) : [];
    return made.length > 0 ? Math.max(...made) : kopecksOf(priceAt(table, path) ?? 0);
  };
  const begin = (factor: number | undefined, uses: readonly LeastPrice[]) =>
    factor === undefined || (terms.isFromLeast && uses.length > 0) ? 0 : factor;

  const fastUses = least.filter(({ hasSound, isFast }) => isFast && !hasSound);
  const soundUses = least.filter(({ hasSound, isFast }) => hasSound && !isFast);
  const bothUses = least.filter(({ hasSound, isFast }) => hasSound && isFast);
  const fast = highest(
    begin(start.factors.fast, fastUses),
    fastUses.map((use) => use.kopecks / plain(use)),
  );
  const sound = highest(begin(start.factors.sound, soundUses), [
    ...soundUses.map((use) => use.kopecks / plain(use)),
    ...bothUses.map((use) => use.kopecks / (plain(use) * fast)),
  ]);
  return {
    table,
    factors: {
      ...(start.factors.sound !== undefined && { sound }),
      ...(start.factors.fast !== undefined && { fast }),
    },
  };
}

function isPlain({ hasSound, isFast }: LeastPrice): boolean {
  return !hasSound && !isFast;
}

function sumsOf(uses: readonly LeastPrice[]): Kopecks[] {
  return uses.map(({ kopecks }) => kopecks);
}

function at(least: readonly LeastPrice[], path: readonly string[]): LeastPrice[] {
  return least.filter((use) => use.path.join("\n") === path.join("\n"));
}

/** A price that only combinations with a factor have is made of the cheapest of them: the factors cover the rest. */
function coveringRubles(
  rubles: number,
  uses: readonly LeastPrice[],
  { step, isFromLeast }: CoverTerms,
): number {
  const plain = sumsOf(uses.filter(isPlain));
  if (!isFromLeast) {
    const least = Math.max(0, ...plain);
    return least <= kopecksOf(rubles) ? rubles : roundedUp(least, step);
  }
  if (uses.length === 0) return rubles;
  return roundedUp(Math.max(1, plain.length > 0 ? Math.max(...plain) : Math.min(...sumsOf(uses))), step);
}

function roundedUp(kopecks: number, step: Kopecks): number {
  return rublesOf(asKopecks(Math.ceil(kopecks / step) * step));
}

/** Factors have two decimals, and are never 0. */
function highest(factor: number, ratios: readonly number[]): number {
  const hundredths = ratios.map((ratio) => Math.ceil(Number((ratio * 100).toFixed(6))));
  return Math.max(1, Math.round(factor * 100), ...hundredths) / 100;
}

function withPrices(
  table: PriceTable,
  priceOf: (rubles: number, path: readonly string[]) => number,
): PriceTable {
  const walk = (node: unknown, path: readonly string[]): unknown =>
    typeof node === "number"
      ? priceOf(node, path)
      : Object.fromEntries(
          Object.entries(Object(node)).map(([name, inner]) => [name, walk(inner, [...path, name])]),
        );
  return walk(table, []) as PriceTable;
}
