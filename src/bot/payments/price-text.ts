import type { Language } from "../texts/texts.js";

/** Writes a price in the currency of its till, in the words of `price-<till>`: `price` as it is, `sum` as kopecks. */
export function priceText(till: string, price: number, { t, money }: Pick<Language, "t" | "money">): string {
  return t(`price-${till}`, { price, sum: money(price) });
}
