declare const brand: unique symbol;

/** Whole number. A column for times or sums takes no other: a computed one has to pass `integer`. */
export type Integer = number & { readonly [brand]: "integer" };

/** Rounds to the nearest whole number. Throws RangeError for a value that no INTEGER column takes. */
export function integer(value: number): Integer {
  const rounded = Math.round(value);
  if (!Number.isSafeInteger(rounded)) throw new RangeError(`not a whole number: ${value}`);
  return rounded as Integer;
}
