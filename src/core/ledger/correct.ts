import { type Kopecks, leftOf } from "../../contract/money.js";
import type { Transaction } from "../../database/transaction.js";
import type { Integer } from "../../platform/integer.js";
import type { CorrectionOutcome } from "../../ports/admin.js";
import { recordAct } from "../audit/audit-log.js";
import { debtOf } from "./debts.js";
import { appendEntry, BalanceTooLowError, balanceOf, hasEntry } from "./ledger-store.js";

export interface BalanceCorrection {
  kind: "credit" | "debit";
  /** Positive; `kind` gives the sign. */
  kopecks: Kopecks;
  reason: string | null;
  actor: string;
  /** A key is applied at most once; null applies every call. */
  idempotencyKey: string | null;
  at: Integer;
}

/** Writes the entry of a correction, and the act beside it. */
export function correctBalance(
  tx: Transaction,
  accountId: number,
  correction: BalanceCorrection,
): CorrectionOutcome {
  const { kind, kopecks, idempotencyKey } = correction;
  if (idempotencyKey !== null && hasEntry(tx, idempotencyKey))
    return { outcome: "repeated", balanceKopecks: balanceOf(tx, accountId) };
  const before = balanceOf(tx, accountId);
  try {
    const owed = debtOf(tx, accountId);
    const balanceKopecks = appendEntry(tx, accountId, kind, kopecks, correction);
    const { actor, reason, at } = correction;
    const sums = { before: { kopecks: before }, after: { kopecks: balanceKopecks } };
    recordAct(tx, { actor, act: kind, accountId, subject: null, ...sums, reason, at });
    return { outcome: "done", balanceKopecks, debtPaidKopecks: leftOf(owed, debtOf(tx, accountId)) };
  } catch (error) {
    if (!(error instanceof BalanceTooLowError)) throw error;
    return { outcome: "too_large", balanceKopecks: error.balanceKopecks };
  }
}
