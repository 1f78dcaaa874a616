import type { Json } from "../json.js";

/** The price of a unit by the value of one field. */
export function priceBy(prices: Readonly<Record<string, number>>, field: string, otherwise: string) {
  return (input: Json) => prices[String(input[field] ?? otherwise)] ?? 0;
}
