import { missingMoney } from "../create/card.js";
import { escapeHtml } from "../html.js";
import type { Language } from "../texts.js";
import type { Payment } from "./checkout.js";

type Unpaid = Exclude<Payment, { kind: "accepted" | "stale" }>;

/** Why a payment was not made and what to do next, as HTML. */
export function paymentText(payment: Unpaid, language: Language, supportContact: string | undefined): string {
  const { t } = language;
  switch (payment.kind) {
    case "no_money":
      return missingMoney(payment.missingKopecks, language, supportContact);
    case "price_changed":
      return t("pay-price-changed");
    case "unavailable":
      return t(payment.reason === "storage" ? "pay-unavailable-storage" : "pay-unavailable");
    case "uncertain": {
      const contact = supportContact
        ? ` ${t("money-ask-uncertain", { contact: escapeHtml(supportContact) })}`
        : "";
      return `${t("pay-uncertain")}${contact}`;
    }
    case "refused":
      return t(language.has(`refused-${payment.code}`) ? `refused-${payment.code}` : "refused-other");
  }
}
