import { type Selectable, sql } from "kysely";
import { asKopecks, type Kopecks } from "../contract/price.js";
import type { Reads, Transaction } from "../database/database.js";
import { prepare, qb } from "../database/prepared.js";
import { lessThan, table } from "../database/table.js";
import type { TillPaymentTable } from "./invoice-store.js";
import type { PaymentState, TillPayment } from "./till.js";

/** `new`: no row yet. */
export type PaymentOrigin = PaymentState | "new";

/** Every move that a payment may make. A refund by the till itself comes at any time before the end. */
const MOVES: Readonly<Record<PaymentOrigin, readonly PaymentState[]>> = {
  new: ["credited", "unmatched", "refunded"],
  unmatched: ["credited", "refunding", "refunded"],
  credited: ["refunding", "refunded"],
  // Back where the till refuses: the debit is given back too.
  refunding: ["refunded", "credited", "unmatched"],
  refunded: [],
};

export function mayMove(from: PaymentOrigin, to: PaymentState): boolean {
  return MOVES[from].includes(to);
}

export type PaymentRow = Selectable<TillPaymentTable>;

/** What a move changes beside the state. */
type PaymentChange = Partial<Pick<PaymentRow, "account_id" | "kopecks" | "owed_kopecks" | "refund_tries">>;

export const payments = table("till_payment", ["state"]);

const countOf = (state: PaymentState) =>
  prepare<object, OpenCount>(() =>
    qb
      .selectFrom("till_payment")
      .select((eb) => ["till", "state", eb.fn.countAll<number>().as("payments")])
      .where("state", "=", sql.lit(state))
      .groupBy("till"),
  );

/** Counts the payments that wait for an end, by till. */
export const TILL_QUERIES = { countUnmatched: countOf("unmatched"), countRefunding: countOf("refunding") };

interface OpenCount {
  till: string;
  state: PaymentState;
  payments: number;
}

export function insertPayment(
  tx: Transaction,
  row: Omit<PaymentRow, "id" | "refund_tries" | "owed_kopecks" | "told_at" | "returned">,
): PaymentRow {
  if (!mayMove("new", row.state)) throw new Error(`no payment begins as ${row.state}`);
  const inserted = payments.get(tx, { id: payments.insert(tx, { ...row, told_at: null }) });
  if (!inserted) throw new Error("the insert of a payment made no row");
  return inserted;
}

/** Moves a payment, in the transaction that moves its money. Throws for a move that no payment makes. */
export function movePayment(
  tx: Transaction,
  row: PaymentRow,
  state: PaymentState,
  change: PaymentChange = {},
): PaymentRow {
  if (!mayMove(row.state, state)) throw new Error(`no payment moves from ${row.state} to ${state}`);
  payments.update(tx, { id: row.id }, { ...change, state });
  return { ...row, ...change, state };
}

/** Returns the newest payments first, of those with an id below `beforeId`. */
export function paymentsOfAccount(
  source: Reads,
  accountId: number,
  limit: number,
  beforeId: number = Number.MAX_SAFE_INTEGER,
): PaymentRow[] {
  const older = { account_id: accountId, id: lessThan(beforeId) };
  return payments.all(source, older, { orderBy: ["id desc"], limit });
}

/** Returns what a payment has brought and was not taken back with a part of it. */
export function keptOf({ kopecks, id, price, returned }: PaymentRow): Kopecks {
  if (kopecks === null) throw new Error(`payment ${id} was never credited`);
  return asKopecks(kopecks - (price === 0 ? 0 : Math.floor((kopecks * returned) / price)));
}

export function paymentOf(row: PaymentRow): TillPayment {
  const { id, till, price, kopecks, state, currency, returned } = row;
  return {
    id,
    till,
    currency,
    returned,
    chargeId: row.charge_id,
    invoiceId: row.invoice_id,
    accountId: row.account_id,
    userId: row.payer === null ? null : Number(row.payer),
    price,
    kopecks,
    state,
    paidAt: row.paid_at,
  };
}
