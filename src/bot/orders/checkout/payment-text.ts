import { type Reader, shortfallText } from "../../balance-words.js";
import { escapeHtml } from "../../html.js";
import type { Payment } from "./checkout.js";

type Unpaid = Exclude<Payment, { kind: "accepted" | "stale" }>;

/** Returns HTML: why a payment was not made and what to do next. */
export function paymentText(payment: Unpaid, reader: Reader, supportContact: string | undefined): string {
  const { t, has } = reader.language;
  switch (payment.kind) {
    case "no_money":
      return shortfallText(payment.missingKopecks, reader, supportContact);
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
      return t(has(`refused-${payment.code}`) ? `refused-${payment.code}` : "refused-other");
  }
}
