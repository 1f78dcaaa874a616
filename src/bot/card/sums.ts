import { shortfallText } from "../balance-words.js";
import type { FormState } from "../form/evaluate-form.js";
import type { CardSurroundings } from "./layout.js";
import { shownPrice } from "./shown-price.js";

type Priced = Pick<FormState, "total" | "payable" | "isTotalExact">;

/** The price, the balance and what is missing, as paragraphs of HTML. */
export function sumsOf(form: Priced, around: CardSurroundings): string[] {
  const { total } = form;
  const { balanceKopecks, supportContact } = around;
  const shortfall = total === undefined || balanceKopecks === undefined ? 0 : total - balanceKopecks;
  const lack = shortfall > 0 ? [shortfallText(shortfall, around, supportContact)] : [];
  return [sumsLine(form, around), ...lack].filter(Boolean);
}

/** The paying button shows the price, and a group must not see a person's balance. */
function sumsLine(form: Priced, around: CardSurroundings): string {
  const { total, payable } = form;
  const { language, balanceKopecks, limitLeftKopecks, isGroup } = around;
  const { t, money } = language;
  const sums: string[] = [];
  if (total === undefined) sums.push(t("card-price-unknown"));
  else if (payable === undefined) sums.push(t("card-price", { price: shownPrice(total, form, language) }));
  if (!isGroup && balanceKopecks !== undefined)
    sums.push(
      limitLeftKopecks === undefined
        ? t("card-balance", { balance: money(balanceKopecks) })
        : t("card-limit", { left: money(limitLeftKopecks) }),
    );
  return sums.join(total === undefined ? "\n" : " · ");
}
