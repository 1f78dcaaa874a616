import { isInBounds, type NumberControl, toHundredths } from "./form.js";

/** Reads a number as people type it, `0,5` or `0.5`; undefined when it is none or out of the control's bounds. */
export function parseNumber(text: string, control: NumberControl): number | undefined {
  const words = text.trim();
  if (!/^[+-]?\d{1,12}([.,]\d{1,12})?$/.test(words)) return undefined;
  const value = toHundredths(Number(words.replace(",", ".")));
  return isInBounds(control, value) ? value : undefined;
}
