import type { Audience } from "../../people/balance-words.js";
import { escapeHtml } from "../../texts/html.js";
import type { UncertainOrder } from "../store/uncertain-order.js";

/**
 * Tells what is known of the order, and what happens next, as HTML. A group sees no balance.
 * @param isShared false where only the person sees the jobs of the account
 */
export function uncertainText(
  { order, balance: { before, after }, repeatedUntil }: UncertainOrder,
  { language, isGroup, isShared }: Audience & { isShared: boolean },
  supportContact: string | undefined,
): string {
  const { t, money } = language;
  const what = t("uncertain-what", orderWords(order, language));
  // Nothing else is asked of the person: the outcome follows by itself.
  if (repeatedUntil !== null) return [what, t("uncertain-repeated")].join("\n\n");
  const lines = [what, t(isShared ? "uncertain-next" : "uncertain-next-own")];
  if (before !== null && after !== null && !isGroup) {
    const sums = { before: money(before), after: money(after) };
    lines.push(t(before === after ? "uncertain-balance-same" : "uncertain-balance-changed", sums));
  }
  lines.push(t("uncertain-again"));
  if (supportContact) lines.push(t("money-ask-uncertain", { contact: escapeHtml(supportContact) }));
  return lines.join("\n\n");
}

/** Tells how an admin has settled the order, as HTML. */
export function settledText(
  { order }: UncertainOrder,
  news: "charged" | "not_charged",
  language: Audience["language"],
): string {
  return language.t(`uncertain-${news}`, orderWords(order, language));
}

function orderWords(
  { modelTitle, quotedKopecks }: UncertainOrder["order"],
  { money }: Audience["language"],
): { model: string; price: string } {
  return { model: escapeHtml(modelTitle), price: money(quotedKopecks) };
}
