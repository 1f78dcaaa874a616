import { type Kopecks, NO_KOPECKS } from "../../contract/money.js";
import type { Transaction } from "../../database/transaction.js";
import type { Integer } from "../../platform/integer.js";
import { appendEntry } from "../ledger/ledger-store.js";
import { lowerDebt } from "./debt-store.js";
import { ENTRY_REASONS, tillActor } from "./entry-reasons.js";

interface DebtPayment {
  accountId: number;
  /** What has just come to the balance. */
  kopecks: Kopecks;
  actor: string;
  idempotencyKey: string;
  at: Integer;
}

/** The actor where an order's money pays a debt. */
const ORDERS = tillActor("debt");

/** Pays what the account owes after forced refunds of payments. Returns the sum. */
export function payDebt(tx: Transaction, { accountId, kopecks, ...entry }: DebtPayment): Kopecks {
  const paid = lowerDebt(tx, accountId, kopecks);
  if (paid > NO_KOPECKS)
    appendEntry(tx, accountId, "debit", paid, { ...entry, reason: ENTRY_REASONS.debtPaid });
  return paid;
}

/** Keeps money that was given back twice from being spent: what an order returns pays the debt first. */
export function payDebtFromOrder(
  tx: Transaction,
  refund: Pick<DebtPayment, "accountId" | "kopecks" | "at"> & { refundKey: string },
): void {
  const { refundKey, ...returned } = refund;
  payDebt(tx, { ...returned, actor: ORDERS, idempotencyKey: `debt:${refundKey}` });
}
