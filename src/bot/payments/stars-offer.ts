import { asKopecks, type Kopecks } from "../../contract/money.js";
import type { TopUp } from "../../ports/till.js";

/** What the operator sells for Stars. */
export interface StarsOffer {
  packs: readonly TopUp[];
  /** Price of a Star in free sums. Undefined: only packs are sold. */
  rateKopecks: Kopecks | undefined;
}

export const NO_STARS: StarsOffer = { packs: [], rateKopecks: undefined };

/** The most Stars of an invoice. */
export const STARS_MAX = 10_000;

export function isSold({ packs, rateKopecks }: StarsOffer): boolean {
  return packs.length > 0 || rateKopecks !== undefined;
}

/** Returns the top-up of whole Stars that brings at least `kopecks`: by the rate, else the smallest pack. */
export function starsTopUpOf({ packs, rateKopecks }: StarsOffer, kopecks: Kopecks): TopUp | undefined {
  if (rateKopecks === undefined) return packs.find((pack) => pack.kopecks >= kopecks);
  const price = Math.ceil(kopecks / rateKopecks);
  if (price < 1 || price > STARS_MAX) return undefined;
  return { price, kopecks: asKopecks(price * rateKopecks) };
}

/** Returns what Stars without an invoice are worth now. */
export function starsWorthOf({ packs, rateKopecks }: StarsOffer, price: number): Kopecks | undefined {
  const pack = packs.find((one) => one.price === price);
  if (pack) return pack.kopecks;
  return rateKopecks === undefined || price < 1 ? undefined : asKopecks(price * rateKopecks);
}
