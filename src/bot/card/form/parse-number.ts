import { isInBounds, type NumberField, toHundredths } from "./fields.js";
import { parseSeconds } from "./parse-seconds.js";

export type NumberFault =
  | { kind: "no_number"; field: NumberField }
  | { kind: "not_whole"; field: NumberField }
  | { kind: "too_small"; field: NumberField; value: number }
  | { kind: "too_large"; field: NumberField; value: number };

/** Reads `0,5` or `0.5`, and for a length also `2:30`, `2 мин` or `90 s`. A fault says what was wrong. */
export function parseNumber(text: string, field: NumberField): { value: number } | NumberFault {
  const value = readValue(text.trim(), field);
  if (value === undefined) return { kind: "no_number", field };
  if (isInBounds(field, value)) return { value };
  const { min, max, isInteger } = field;
  if (min !== undefined && value < min) return { kind: "too_small", field, value };
  if (max !== undefined && value > max) return { kind: "too_large", field, value };
  return { kind: isInteger ? "not_whole" : "no_number", field };
}

function readValue(words: string, field: NumberField): number | undefined {
  if (!/^[+-]?\d{1,12}([.,]\d{1,12})?$/.test(words))
    return field.isDuration ? parseSeconds(words) : undefined;
  const value = toHundredths(Number(words.replace(",", ".")));
  // A bare number that is too small for seconds means minutes, as on the buttons.
  const asMinutes = value * 60;
  const isMinutes = field.isDuration && value < (field.min ?? 0) && isInBounds(field, asMinutes);
  return isMinutes ? asMinutes : value;
}
