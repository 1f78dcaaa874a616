import { type Selectable, sql } from "kysely";
import { asKopecks, type Kopecks } from "../contract/price.js";
import type { Database, Transaction } from "../database/database.js";
import { prepare, qb } from "../database/prepared.js";
import type { Integer } from "../platform/integer.js";
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

type Source = Transaction | Database;

/** What a move changes beside the state. */
type PaymentChange = Partial<
  Pick<PaymentRow, "account_id" | "kopecks" | "owed_kopecks" | "refund_tries" | "returned">
>;

const insert = prepare<Omit<PaymentRow, "id" | "refund_tries" | "owed_kopecks" | "returned">>((p) =>
  qb.insertInto("till_payment").values({
    till: p.till,
    charge_id: p.charge_id,
    invoice_id: p.invoice_id,
    account_id: p.account_id,
    payer: p.payer,
    price: p.price,
    kopecks: p.kopecks,
    state: p.state,
    paid_at: p.paid_at,
    told_at: p.told_at,
    currency: p.currency,
  }),
);
const selectById = prepare<{ id: number }, PaymentRow>((p) =>
  qb.selectFrom("till_payment").selectAll().where("id", "=", p.id),
);
const selectByCharge = prepare<{ till: string; charge_id: string }, PaymentRow>((p) =>
  qb.selectFrom("till_payment").selectAll().where("till", "=", p.till).where("charge_id", "=", p.charge_id),
);
const selectByAnyCharge = prepare<{ charge_id: string }, PaymentRow>((p) =>
  qb.selectFrom("till_payment").selectAll().where("charge_id", "=", p.charge_id).limit(sql.lit(1)),
);
const selectOfAccount = prepare<{ account_id: number; before_id: number; limit: number }, PaymentRow>((p) =>
  qb
    .selectFrom("till_payment")
    .selectAll()
    .where("account_id", "=", p.account_id)
    .where("id", "<", p.before_id)
    .orderBy("id", "desc")
    .limit(p.limit),
);
const selectRefunding = prepare<{ till: string }, PaymentRow>((p) =>
  qb
    .selectFrom("till_payment")
    .selectAll()
    .where("state", "=", sql.lit<PaymentState>("refunding"))
    .where("till", "=", p.till)
    .orderBy("id"),
);
const selectUntold = prepare<{ till: string; limit: number }, PaymentRow>((p) =>
  qb
    .selectFrom("till_payment")
    .selectAll()
    .where("state", "=", sql.lit<PaymentState>("credited"))
    .where("told_at", "is", null)
    .where("till", "=", p.till)
    .orderBy("id")
    .limit(p.limit),
);
const countOf = (state: PaymentState) =>
  prepare<object, OpenCount>(() =>
    qb
      .selectFrom("till_payment")
      .select((eb) => ["till", "state", eb.fn.countAll<number>().as("payments")])
      .where("state", "=", sql.lit(state))
      .groupBy("till"),
  );
const countRefunding = countOf("refunding");
const countUnmatched = countOf("unmatched");
const update = prepare<
  Pick<PaymentRow, "id" | "state" | "account_id" | "kopecks" | "owed_kopecks" | "refund_tries" | "returned">
>((p) =>
  qb
    .updateTable("till_payment")
    .set({
      state: p.state,
      account_id: p.account_id,
      kopecks: p.kopecks,
      owed_kopecks: p.owed_kopecks,
      refund_tries: p.refund_tries,
      returned: p.returned,
    })
    .where("id", "=", p.id),
);
const tell = prepare<{ id: number; told_at: Integer }>((p) =>
  qb
    .updateTable("till_payment")
    .set({ told_at: p.told_at })
    .where("id", "=", p.id)
    .where("told_at", "is", null),
);

export const TILL_QUERIES = {
  selectByCharge,
  selectOfAccount,
  selectRefunding,
  selectUntold,
  countUnmatched,
  countRefunding,
};

/** How many payments wait for an end. */
export interface OpenCount {
  till: string;
  state: PaymentState;
  payments: number;
}

export function insertPayment(
  tx: Transaction,
  row: Omit<PaymentRow, "id" | "refund_tries" | "owed_kopecks" | "told_at" | "returned">,
): PaymentRow {
  if (!mayMove("new", row.state)) throw new Error(`no payment begins as ${row.state}`);
  const id = tx.insert(insert, { ...row, told_at: null });
  const inserted = tx.first(selectById, { id });
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
  const moved = { ...row, ...change, state };
  tx.run(update, moved);
  return moved;
}

export function paymentById(source: Source, id: number): PaymentRow | undefined {
  return source.first(selectById, { id });
}

export function paymentByCharge(source: Source, till: string, chargeId: string): PaymentRow | undefined {
  return source.first(selectByCharge, { till, charge_id: chargeId });
}

export function paymentByAnyCharge(source: Source, chargeId: string): PaymentRow | undefined {
  return source.first(selectByAnyCharge, { charge_id: chargeId });
}

/** Returns the newest payments first, of those with an id below `beforeId`. */
export function paymentsOfAccount(
  source: Source,
  accountId: number,
  limit: number,
  beforeId: number = Number.MAX_SAFE_INTEGER,
): PaymentRow[] {
  return source.all(selectOfAccount, { account_id: accountId, before_id: beforeId, limit });
}

export function refundingPayments(source: Source, till: string): PaymentRow[] {
  return source.all(selectRefunding, { till });
}

export function untoldPayments(source: Source, till: string, limit: number): PaymentRow[] {
  return source.all(selectUntold, { till, limit });
}

export function openCounts(source: Source): OpenCount[] {
  return [...source.all(countUnmatched, {}), ...source.all(countRefunding, {})];
}

export function markPaymentTold(tx: Transaction, id: number, at: Integer): void {
  tx.run(tell, { id, told_at: at });
}

/** Writes that a part of a credited payment was paid back, in the transaction that debits it. */
export function setReturned(tx: Transaction, row: PaymentRow, returned: number): PaymentRow {
  const changed = { ...row, returned };
  tx.run(update, changed);
  return changed;
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
    userId: row.payer === null ? null : Number(row.payer),
    price,
    kopecks,
    state,
    paidAt: row.paid_at,
  };
}
