import type { CreditedTopUp } from "../accounts/invite-book.js";
import { appendEntry, balanceOf, debtOf } from "../accounts/ledger-store.js";
import { type Kopecks, leftOf } from "../contract/price.js";
import type { Transaction } from "../database/database.js";
import { table } from "../database/table.js";
import type { Integer } from "../platform/integer.js";
import { ENTRY_REASONS, type InvoiceRow, tillActor } from "./invoice-store.js";
import { insertPayment, type PaymentRow, paymentByCharge } from "./payment-store.js";

const invoices = table("till_invoice");

/** A reported payment in terms of rows. */
export interface ArrivedPayment {
  till: string;
  chargeId: string;
  invoiceRef: string;
  /** Who paid and their account; null where the till does not tell. */
  payer: { subject: string; accountId: number | undefined } | null;
  price: number;
  currency?: string | undefined;
  /** How much of the price a refund has brought back by now. */
  returned?: number | undefined;
  paidAt: Integer;
}

/** Does what a top-up brings besides, in its transaction. */
export type OnTopUp = (tx: Transaction, topUp: CreditedTopUp) => void;

export type Taken =
  | { kind: "credited"; row: PaymentRow; balanceKopecks: Kopecks; debtPaidKopecks: Kopecks }
  | { kind: "unmatched"; row: PaymentRow }
  | { kind: "repeated"; row: PaymentRow };

/** Columns of a payment that its till reports, whatever becomes of it here. */
export function reportedColumns({ till, chargeId, payer, price, paidAt, currency }: ArrivedPayment) {
  const columns = { till, charge_id: chargeId, payer: payer?.subject ?? null, price, paid_at: paidAt };
  return { ...columns, currency: currency ?? null };
}

/** Writes a payment with its entry, once for each charge id. What no invoice explains is held. */
export function takePayment(tx: Transaction, payment: ArrivedPayment, at: Integer, onTopUp: OnTopUp): Taken {
  const { till, chargeId, payer } = payment;
  const known = paymentByCharge(tx, till, chargeId);
  if (known) return { kind: "repeated", row: known };
  const invoice = invoices.get(tx, { till, ref: payment.invoiceRef });
  const given = reportedColumns(payment);
  if (!invoice || !explains(invoice, payment)) {
    const unknown = { invoice_id: invoice?.id ?? null, account_id: payer?.accountId ?? null, kopecks: null };
    return { kind: "unmatched", row: insertPayment(tx, { ...given, ...unknown, state: "unmatched" }) };
  }
  const { id: invoice_id, account_id, kopecks } = invoice;
  const row = insertPayment(tx, { ...given, invoice_id, account_id, kopecks, state: "credited" });
  // Also one that was closed meanwhile: money has moved.
  invoices.update(tx, { id: invoice_id }, { state: "paid" });
  const topUp = { paymentId: row.id, accountId: account_id, kopecks, at };
  return { kind: "credited", row, ...creditTopUp(tx, row, topUp, onTopUp) };
}

/** An invoice may be closed or paid already: each charge is money of its own. */
function explains(invoice: InvoiceRow, { payer, price, currency }: ArrivedPayment): boolean {
  return (
    currency === undefined &&
    invoice.price === price &&
    (payer === null || payer.accountId === invoice.account_id)
  );
}

/** Credits a top-up, and tells how much of it paid what the account owed. */
export function creditTopUp(
  tx: Transaction,
  { till, charge_id }: Pick<PaymentRow, "till" | "charge_id">,
  topUp: CreditedTopUp,
  onTopUp: OnTopUp,
): { balanceKopecks: Kopecks; debtPaidKopecks: Kopecks } {
  const { accountId, kopecks, at } = topUp;
  const owed = debtOf(tx, accountId);
  appendEntry(tx, accountId, "credit", kopecks, {
    actor: tillActor(till),
    at,
    reason: ENTRY_REASONS.paid,
    idempotencyKey: `topup:${till}:${charge_id}`,
  });
  const debtPaidKopecks = leftOf(owed, debtOf(tx, accountId));
  onTopUp(tx, topUp);
  return { balanceKopecks: balanceOf(tx, accountId), debtPaidKopecks };
}
