import type { ParameterValue } from "../../../contract/model.js";
import { type Kopecks, totalKopecks } from "../../../contract/price.js";
import type { FormState } from "./evaluate-form.js";
import { choicesOf, type FormField } from "./fields.js";

/** Prices the draft with each value of a field. Undefined where the price does not depend on it. */
export function valuePrices(
  { model, request }: Pick<FormState, "model" | "request">,
  field: FormField,
): ReadonlyMap<ParameterValue, Kopecks | undefined> | undefined {
  const prices = new Map(
    choicesOf(field).map(
      (value) => [value, totalKopecks(model, { ...request, [field.name]: value })] as const,
    ),
  );
  return new Set(prices.values()).size > 1 ? prices : undefined;
}
