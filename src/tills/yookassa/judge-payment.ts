import type { Kopecks } from "../../contract/money.js";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../../platform/units.js";
import type { PaymentAnswer } from "./answers.js";
import { INVOICE_KEY } from "./payment-request.js";

export const SHOP_CURRENCY = "RUB";

/** How long a payment can be confirmed. Source: https://yookassa.ru/developers/payment-acceptance, one hour. */
export const CONFIRMED_WITHIN_MS = HOUR_MS;

export type PaymentVerdict =
  | { kind: "open" }
  | { kind: "canceled"; reason: string }
  /** `isOurs` is false where the answer does not say what was asked for: then the money is held. */
  | { kind: "paid"; isOurs: boolean; kopecks: Kopecks; currency: string };

/** Judges what the service says of a payment. Only what agrees with the row in everything is ours. */
export function judgePayment(
  answer: PaymentAnswer,
  row: { invoice_ref: string; kopecks: Kopecks; payment_id: string | null },
): PaymentVerdict {
  const { status, paid, amount, metadata } = answer;
  if (status === "pending" || status === "waiting_for_capture") return { kind: "open" };
  if (status === "canceled")
    return { kind: "canceled", reason: answer.cancellation_details?.reason ?? "unknown" };
  const isOurs =
    paid &&
    answer.id === row.payment_id &&
    amount.currency === SHOP_CURRENCY &&
    amount.kopecks === row.kopecks &&
    metadata?.[INVOICE_KEY] === row.invoice_ref;
  return { kind: "paid", isOurs, kopecks: amount.kopecks, currency: amount.currency };
}

/** Returns the pause until a payment of this age is asked about again: seconds while somebody may be paying it. */
export function pauseAfter(ageMs: number): number {
  if (ageMs < 2 * MINUTE_MS) return 5 * SECOND_MS;
  if (ageMs < 10 * MINUTE_MS) return 15 * SECOND_MS;
  if (ageMs < CONFIRMED_WITHIN_MS + 10 * MINUTE_MS) return Math.round(ageMs / 20);
  // Past its hour only an outage of the service leaves it open.
  return ageMs < 24 * HOUR_MS ? HOUR_MS : 24 * HOUR_MS;
}
