import { type Kopecks, leftOf, NO_KOPECKS } from "../../contract/money.js";
import { shortfallText } from "../people/balance-words.js";
import type { FormState } from "./form/evaluate-form.js";
import type { CardSurroundings } from "./layout.js";
import { shownPrice } from "./shown-price.js";

type Priced = Pick<FormState, "total" | "payable" | "isTotalExact">;

/** Returns how much the shown balance lacks for the order. */
export function shortfallOf({ total }: Priced, { balanceKopecks }: CardSurroundings): Kopecks {
  return total === undefined || balanceKopecks === undefined ? NO_KOPECKS : leftOf(total, balanceKopecks);
}

/** Shows the price, the balance and what is missing, as paragraphs of HTML. */
export function sumsOf(form: Priced, around: CardSurroundings): string[] {
  const shortfall = shortfallOf(form, around);
  const lack = shortfall > 0 ? [shortfallText(shortfall, around, around)] : [];
  return [sumsLine(form, around, shortfall > 0), ...lack].filter(Boolean);
}

/** Shows the sums in a line. The paying button, where there is one, has the price. A group sees no balance. */
function sumsLine(form: Priced, around: CardSurroundings, isShort: boolean): string {
  const { total, payable } = form;
  const { language, balanceKopecks, limitLeftKopecks, isGroup } = around;
  const { t, money } = language;
  const sums: string[] = [];
  if (total === undefined) sums.push(t("card-price-unknown"));
  else if (payable === undefined || isShort)
    sums.push(t("card-price", { price: shownPrice(total, form, language) }));
  if (!isGroup && balanceKopecks !== undefined)
    sums.push(
      limitLeftKopecks === undefined
        ? t("card-balance", { balance: money(balanceKopecks) })
        : t("card-limit", { left: money(limitLeftKopecks) }),
    );
  return sums.join(total === undefined ? "\n" : " · ");
}
