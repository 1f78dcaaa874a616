import { asKopecks, type Kopecks, leftOf, NO_KOPECKS } from "../../contract/money.js";
import type { Transaction } from "../../database/transaction.js";
import type { Integer } from "../../platform/integer.js";
import type { RefundRequest } from "../../ports/till.js";
import { recordAct } from "../audit/audit-log.js";
import { appendEntry, balanceOf } from "../ledger/ledger-store.js";
import { addDebt, lowerDebt } from "./debt-store.js";
import { ENTRY_REASONS, tillActor } from "./entry-reasons.js";
import { creditedOf, insertPayment, movePayment, type PaymentRow, paymentByCharge } from "./payment-store.js";
import type { ArrivedPayment } from "./take-payment.js";

export type RefundStart =
  | { kind: "begun"; row: PaymentRow }
  | { kind: "too_large"; row: PaymentRow; balanceKopecks: Kopecks }
  | { kind: "closed"; row: PaymentRow };

/** Takes the money back before the till is asked, so that nobody spends it meanwhile. */
export function beginRefund(
  tx: Transaction,
  row: PaymentRow,
  { actor, reason, mayOwe }: RefundRequest,
  at: Integer,
): RefundStart {
  if (row.state !== "credited" && row.state !== "unmatched") return { kind: "closed", row };
  const { account_id: accountId } = row;
  const before = accountId === null ? NO_KOPECKS : balanceOf(tx, accountId);
  if (row.state === "credited" && before < creditedOf(row) && !mayOwe)
    return { kind: "too_large", row, balanceKopecks: before };
  const refund_tries = row.refund_tries + 1;
  const owed_kopecks = row.state === "credited" ? debit(tx, { ...row, refund_tries }, at) : NO_KOPECKS;
  const moved = movePayment(tx, row, "refunding", { refund_tries, owed_kopecks });
  recordAct(tx, {
    actor,
    act: "refund",
    accountId,
    subject: `payment:${row.id}`,
    before: { kopecks: before },
    after: { kopecks: accountId === null ? 0 : balanceOf(tx, accountId), owed: owed_kopecks },
    reason,
    at,
  });
  return { kind: "begun", row: moved };
}

/** Ends a refund that the till refuses: the debit is given back, its debt first. */
export function undoRefund(tx: Transaction, row: PaymentRow, at: Integer): PaymentRow {
  const { account_id: accountId, kopecks, owed_kopecks } = row;
  if (accountId === null || kopecks === null) return movePayment(tx, row, "unmatched");
  const forgiven = lowerDebt(tx, accountId, owed_kopecks);
  const back = leftOf(kopecks, forgiven);
  if (back > NO_KOPECKS)
    appendEntry(tx, accountId, "credit", back, {
      reason: ENTRY_REASONS.kept,
      actor: tillActor(row.till),
      idempotencyKey: `topup-kept:${row.id}:${row.refund_tries}`,
      at,
    });
  return movePayment(tx, row, "credited", { owed_kopecks: NO_KOPECKS });
}

export interface TakenRefund {
  /** `settled`: the refund that was begun here has ended. */
  kind: "refunded" | "settled" | "repeated";
  row: PaymentRow;
}

/** Takes a refund that the till reports. What the balance lacks becomes a debt: the money is gone. */
export function takeRefund(tx: Transaction, refund: ArrivedPayment, at: Integer): TakenRefund {
  const { till, chargeId, payer, price, paidAt } = refund;
  const row = paymentByCharge(tx, till, chargeId);
  // Its payment was never seen: there is nothing to take back, and it is not credited when it is seen.
  if (!row) {
    const given = { till, charge_id: chargeId, payer: payer?.subject ?? null, price, paid_at: paidAt };
    const nothing = { invoice_id: null, account_id: payer?.accountId ?? null, kopecks: null };
    return { kind: "refunded", row: insertPayment(tx, { ...given, ...nothing, state: "refunded" }) };
  }
  return takeKnownRefund(tx, row, at);
}

/** Takes a refund of a payment that is known, whoever began it. */
export function takeKnownRefund(tx: Transaction, row: PaymentRow, at: Integer): TakenRefund {
  if (row.state === "refunded") return { kind: "repeated", row };
  if (row.state === "refunding") return { kind: "settled", row: movePayment(tx, row, "refunded") };
  if (row.state === "unmatched") return { kind: "refunded", row: movePayment(tx, row, "refunded") };
  const refund_tries = row.refund_tries + 1;
  const owed_kopecks = debit(tx, { ...row, refund_tries }, at);
  return { kind: "refunded", row: movePayment(tx, row, "refunded", { refund_tries, owed_kopecks }) };
}

/** Debits a credited payment as far as the balance goes. Returns the rest, which is written as a debt. */
function debit(tx: Transaction, row: PaymentRow, at: Integer): Kopecks {
  const { account_id: accountId, id, till, refund_tries } = row;
  if (accountId === null) throw new Error(`payment ${id} was credited to nobody`);
  const kopecks = creditedOf(row);
  const taken = asKopecks(Math.min(kopecks, balanceOf(tx, accountId)));
  if (taken > 0)
    appendEntry(tx, accountId, "debit", taken, {
      reason: ENTRY_REASONS.refunded,
      actor: tillActor(till),
      idempotencyKey: `topup-refund:${id}:${refund_tries}`,
      at,
    });
  const owed = leftOf(kopecks, taken);
  addDebt(tx, accountId, owed);
  return owed;
}
