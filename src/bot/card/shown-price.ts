import type { Kopecks } from "../../contract/money.js";
import type { Language } from "../texts/texts.js";
import type { FormState } from "./form/evaluate-form.js";

/** Formats a price. A sum that may rise is never shown as exact. */
export function shownPrice(
  kopecks: Kopecks,
  { isTotalExact }: Pick<FormState, "isTotalExact">,
  { t, money }: Language,
): string {
  const price = money(kopecks);
  return isTotalExact ? price : t("models-price-from", { price });
}
