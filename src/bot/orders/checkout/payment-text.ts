import { type Audience, type MoneyHelp, shortfallText } from "../../people/balance-words.js";
import type { Payment } from "./payment.js";

type Unpaid = Exclude<Payment, { kind: "accepted" | "stale" | "uncertain" }>;

/** Tells why a payment was not made and what to do next, as HTML. */
export function paymentText(payment: Unpaid, audience: Audience, help: MoneyHelp): string {
  const { t, has } = audience.language;
  switch (payment.kind) {
    case "no_money":
      return shortfallText(payment.missingKopecks, audience, help);
    case "price_changed":
      return t("pay-price-changed");
    case "too_many":
      return t(`too-many-${payment.reason}`, { max: payment.max });
    case "unavailable":
      return t(
        has(`pay-unavailable-${payment.reason}`) ? `pay-unavailable-${payment.reason}` : "pay-unavailable",
      );
    case "refused":
      return t(has(`refused-${payment.code}`) ? `refused-${payment.code}` : "refused-other");
  }
}
