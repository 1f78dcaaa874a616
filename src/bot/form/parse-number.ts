import { isInBounds, type NumberField, toHundredths } from "./fields.js";

/** Reads `0,5` or `0.5`. Returns undefined when it is not a number or out of bounds. */
export function parseNumber(text: string, field: NumberField): number | undefined {
  const words = text.trim();
  if (!/^[+-]?\d{1,12}([.,]\d{1,12})?$/.test(words)) return undefined;
  const value = toHundredths(Number(words.replace(",", ".")));
  return isInBounds(field, value) ? value : undefined;
}
