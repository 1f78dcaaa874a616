import type { CorrectionOutcome } from "../../contract/admin.js";
import type { Transaction } from "../../database/transaction.js";
import type { Kopecks } from "../../platform/money.js";
import { appendEntry, BalanceTooLow, balanceOf, hasEntry } from "./ledger-store.js";

/** A credit or a debit by an admin or by the operator. */
export interface BalanceCorrection {
  kind: "credit" | "debit";
  /** Positive; the kind gives the sign. */
  kopecks: Kopecks;
  reason: string | null;
  actor: string;
  /** The same key never corrects twice; without one every call corrects. */
  idempotencyKey: string | null;
  /** Milliseconds since the epoch. */
  at: number;
}

/** Corrects a balance once, or leaves it as it is: see the outcomes. */
export function correctBalance(
  tx: Transaction,
  accountId: number,
  correction: BalanceCorrection,
): CorrectionOutcome {
  const { kind, kopecks, idempotencyKey } = correction;
  if (idempotencyKey !== null && hasEntry(tx, idempotencyKey))
    return { outcome: "repeated", balanceKopecks: balanceOf(tx, accountId) };
  try {
    return { outcome: "done", balanceKopecks: appendEntry(tx, accountId, kind, kopecks, correction) };
  } catch (error) {
    if (!(error instanceof BalanceTooLow)) throw error;
    return { outcome: "too_large", balanceKopecks: error.balanceKopecks };
  }
}
