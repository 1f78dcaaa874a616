import type { PreCheckoutQuery } from "grammy/types";
import { HOUR_MS } from "../../platform/units.js";
import type { TillInvoice } from "../../ports/till.js";
import { STARS_CURRENCY } from "./stars-till.js";

/** How long an invoice can be paid. */
const INVOICE_MS = 24 * HOUR_MS;

/** Why a payment is refused before money moves. Each has its words as `checkout-<reason>`. */
export type CheckoutRefusal =
  | "off"
  | "not_allowed"
  | "banned"
  | "unknown"
  | "not_yours"
  | "changed"
  | "old"
  | "busy";

/** What keeps a person from paying. */
export type Bar = Extract<CheckoutRefusal, "not_allowed" | "banned">;

interface CheckoutFacts {
  query: Pick<PreCheckoutQuery, "from" | "currency" | "total_amount">;
  invoice: TillInvoice | undefined;
  isOn: boolean;
  /** Why the person may not pay at all. */
  bar: Bar | undefined;
  now: number;
}

/** Judges a payment that is about to be made. Undefined: it may be made. */
export function judgeCheckout({
  query,
  invoice,
  isOn,
  bar,
  now,
}: CheckoutFacts): CheckoutRefusal | undefined {
  if (!isOn) return "off";
  if (bar) return bar;
  if (!invoice) return "unknown";
  if (invoice.userId !== query.from.id) return "not_yours";
  if (query.currency !== STARS_CURRENCY || query.total_amount !== invoice.price) return "changed";
  // A clock that was set back must not prolong an invoice.
  if (invoice.state !== "open" || Math.abs(now - invoice.madeAt) > INVOICE_MS) return "old";
  return undefined;
}
