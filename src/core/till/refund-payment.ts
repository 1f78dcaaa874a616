import { type Kopecks, leftOf, NO_KOPECKS, sumOf } from "../../contract/money.js";
import type { Database } from "../../database/database.js";
import type { Transaction } from "../../database/transaction.js";
import type { Integer } from "../../platform/integer.js";
import type { RefundRequest } from "../../ports/till.js";
import { recordAct } from "../audit/audit-log.js";
import { restoreReward, rewardOfPayment, takeBackReward } from "../invites/reward-invite.js";
import { balanceOf } from "../ledger/ledger-store.js";
import { giveBack, takeBack } from "../ledger/take-back.js";
import { ENTRY_REASONS, tillActor } from "./entry-reasons.js";
import {
  insertPayment,
  keptOf,
  movePayment,
  type PaymentRow,
  paymentByCharge,
  setReturned,
} from "./payment-store.js";
import { type ArrivedPayment, reportedColumns } from "./take-payment.js";

export type RefundStart =
  | { kind: "begun"; row: PaymentRow }
  | { kind: "too_large"; row: PaymentRow; balanceKopecks: Kopecks }
  | { kind: "closed"; row: PaymentRow };

/** What a refund takes from an account. */
export interface AccountShare {
  of: "payment" | "reward";
  accountId: number;
  kopecks: Kopecks;
  owedKopecks: Kopecks;
}

/** Tells what a refund of a credited payment takes from whom, in the order in which it does. */
export function refundShares(source: Transaction | Database, row: PaymentRow): AccountShare[] {
  if (row.state !== "credited") return [];
  const payment = creditedPayment(row);
  const wanted = [
    { of: "payment" as const, accountId: payment.account_id, kopecks: keptOf(row) },
    ...rewardOfPayment(source, payment).map(({ accountId, kopecks }) => ({
      of: "reward" as const,
      accountId,
      kopecks,
    })),
  ];
  const left = new Map<number, Kopecks>();
  return wanted.map((share) => {
    const balance = left.get(share.accountId) ?? balanceOf(source, share.accountId);
    left.set(share.accountId, leftOf(balance, share.kopecks));
    return { ...share, owedKopecks: leftOf(share.kopecks, balance) };
  });
}

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
  if (!mayOwe && sumOf(refundShares(tx, row).map(({ owedKopecks }) => owedKopecks)) > NO_KOPECKS)
    return { kind: "too_large", row, balanceKopecks: before };
  const refund_tries = row.refund_tries + 1;
  const owed_kopecks = row.state === "credited" ? debitAll(tx, { ...row, refund_tries }, at) : NO_KOPECKS;
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

/** Ends a refund that the till refuses: what it took is given back, debts first. */
export function undoRefund(tx: Transaction, row: PaymentRow, at: Integer): PaymentRow {
  if (row.account_id === null || row.kopecks === null) return movePayment(tx, row, "unmatched");
  const payment = creditedPayment(row);
  giveBack(
    tx,
    payment.account_id,
    { kopecks: keptOf(row), owed: row.owed_kopecks },
    {
      reason: ENTRY_REASONS.kept,
      actor: tillActor(row.till),
      idempotencyKey: `topup-kept:${row.id}:${row.refund_tries}`,
      at,
    },
  );
  restoreReward(tx, payment, at);
  return movePayment(tx, row, "credited", { owed_kopecks: NO_KOPECKS });
}

export type TakenRefund =
  /** `settled`: the refund that was begun here has ended. */
  | { kind: "refunded" | "settled" | "repeated"; row: PaymentRow }
  | { kind: "part"; row: PaymentRow; partKopecks: Kopecks; owedKopecks: Kopecks };

/** Takes a refund that the till reports. What the balance lacks becomes a debt: the money is gone. */
export function takeRefund(tx: Transaction, refund: ArrivedPayment, at: Integer): TakenRefund {
  const { till, chargeId, payer, price, returned = price } = refund;
  const row = paymentByCharge(tx, till, chargeId);
  // Its payment was never seen: there is nothing to take back, and it is not credited when it is seen.
  if (!row) {
    const given = reportedColumns(refund);
    const nothing = { invoice_id: null, account_id: payer?.accountId ?? null, kopecks: null };
    return { kind: "refunded", row: insertPayment(tx, { ...given, ...nothing, state: "refunded" }) };
  }
  return returned < row.price ? takePart(tx, row, returned, at) : takeKnownRefund(tx, row, at);
}

/** Debits a part that the till has paid back, once. The reward stays while the rest would earn it. */
function takePart(tx: Transaction, row: PaymentRow, returned: number, at: Integer): TakenRefund {
  if (row.state === "refunding" || row.state === "refunded" || returned <= row.returned)
    return { kind: "repeated", row };
  const changed = setReturned(tx, row, returned);
  if (row.state === "unmatched")
    return { kind: "part", row: changed, partKopecks: NO_KOPECKS, owedKopecks: NO_KOPECKS };
  const payment = creditedPayment(changed);
  const partKopecks = leftOf(keptOf(row), keptOf(changed));
  const owedKopecks = takeBack(tx, payment.account_id, partKopecks, {
    reason: ENTRY_REASONS.refunded,
    actor: tillActor(row.till),
    idempotencyKey: `topup-refund-part:${row.id}:${returned}`,
    at,
  });
  takeBackReward(tx, payment, { keptKopecks: keptOf(changed), at });
  return { kind: "part", row: changed, partKopecks, owedKopecks };
}

/** Takes a refund of a payment that is known, whoever began it. */
export function takeKnownRefund(tx: Transaction, row: PaymentRow, at: Integer): TakenRefund {
  if (row.state === "refunded") return { kind: "repeated", row };
  if (row.state === "refunding") return { kind: "settled", row: movePayment(tx, row, "refunded") };
  if (row.state === "unmatched") return { kind: "refunded", row: movePayment(tx, row, "refunded") };
  const refund_tries = row.refund_tries + 1;
  const owed_kopecks = debitAll(tx, { ...row, refund_tries }, at);
  return { kind: "refunded", row: movePayment(tx, row, "refunded", { refund_tries, owed_kopecks }) };
}

/** Debits what is left of a credited payment, and its reward. Returns what the payer's balance lacks for the payment. */
function debitAll(tx: Transaction, row: PaymentRow, at: Integer): Kopecks {
  const payment = creditedPayment(row);
  const owed = takeBack(tx, payment.account_id, keptOf(row), {
    reason: ENTRY_REASONS.refunded,
    actor: tillActor(row.till),
    idempotencyKey: `topup-refund:${row.id}:${row.refund_tries}`,
    at,
  });
  takeBackReward(tx, payment, { keptKopecks: NO_KOPECKS, at });
  return owed;
}

function creditedPayment({ id, account_id }: PaymentRow): { id: number; account_id: number } {
  if (account_id === null) throw new Error(`payment ${id} was credited to nobody`);
  return { id, account_id };
}
