import { escapeHtml } from "../texts/html.js";
import type { Language } from "../texts/texts.js";

/**
 * Writes a price in the currency of its till, in the words of `price-<till>`: `price` as it is, `sum` as kopecks. One in
 * another currency is written with that.
 */
export function priceText(
  { till, price, currency }: { till: string; price: number; currency?: string | null },
  { t, money }: Pick<Language, "t" | "money">,
): string {
  if (currency) return `${(price / 100).toFixed(2)} ${escapeHtml(currency)}`;
  return t(`price-${till}`, { price, sum: money(price) });
}
