import { type CreditedTopUp, type InviteSums, rewardInvite } from "../accounts/invite-book.js";
import { appendEntry } from "../accounts/ledger-store.js";
import type { Kopecks } from "../contract/price.js";
import type { Transaction } from "../database/database.js";
import { table } from "../database/table.js";
import { type Integer, integer } from "../platform/integer.js";
import { insertPayment, payments } from "./payment-store.js";
import type { InvoiceRow, ReportedPayment, TakenPayment, TillPayment } from "./till.js";
import { tillEntry } from "./till-entries.js";

const invoices = table("till_invoice");

/** A reported payment with the account of who paid, where there is one. */
export interface ArrivedPayment extends ReportedPayment {
  payerAccountId: number | undefined;
}

/** Columns of a payment that its till reports, whatever becomes of it here. */
export function reportedColumns({ till, chargeId, userId, price, paidAt, currency }: ArrivedPayment) {
  const payer = userId === null ? null : String(userId);
  return { till, charge_id: chargeId, payer, price, paid_at: integer(paidAt), currency: currency ?? null };
}

/** Writes a payment with its entry, once for each charge id. What no invoice explains is held. */
export function takePayment(
  tx: Transaction,
  payment: ArrivedPayment,
  at: Integer,
  inviteSums: InviteSums | undefined,
): TakenPayment {
  const { till, chargeId, payerAccountId } = payment;
  const known = payments.get(tx, { till, charge_id: chargeId });
  if (known) return { kind: "repeated", payment: known };
  const invoice = invoices.get(tx, { till, ref: payment.invoiceRef });
  const given = reportedColumns(payment);
  if (!invoice || !explains(invoice, payment)) {
    const unknown = { invoice_id: invoice?.id ?? null, account_id: payerAccountId ?? null, kopecks: null };
    const held = insertPayment(tx, { ...given, ...unknown, state: "unmatched" });
    return { kind: "unmatched", payment: held };
  }
  const { id: invoice_id, account_id, kopecks } = invoice;
  const row = insertPayment(tx, { ...given, invoice_id, account_id, kopecks, state: "credited" });
  // Also one that was closed meanwhile: money has moved.
  invoices.update(tx, { id: invoice_id }, { state: "paid" });
  const topUp = { paymentId: row.id, accountId: account_id, kopecks, at };
  return { kind: "credited", payment: row, debtPaidKopecks: creditTopUp(tx, row, topUp, inviteSums) };
}

/** An invoice may be closed or paid already: each charge is money of its own. */
function explains(invoice: InvoiceRow, payment: ArrivedPayment): boolean {
  const { userId, payerAccountId, price, currency } = payment;
  return (
    currency === undefined &&
    invoice.price === price &&
    (userId === null || payerAccountId === invoice.account_id)
  );
}

/** Credits a top-up, and what an invitation brings by it. Returns how much of it paid what the account owed. */
export function creditTopUp(
  tx: Transaction,
  { till, charge_id }: Pick<TillPayment, "till" | "charge_id">,
  topUp: CreditedTopUp,
  inviteSums: InviteSums | undefined,
): Kopecks {
  const { accountId, kopecks, at } = topUp;
  const entry = tillEntry(till, "paid", `topup:${till}:${charge_id}`, at);
  const { debtPaidKopecks } = appendEntry(tx, accountId, "credit", kopecks, entry);
  if (inviteSums) rewardInvite(tx, topUp, inviteSums);
  return debtPaidKopecks;
}
