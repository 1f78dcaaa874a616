import { asKopecks, type Kopecks } from "../contract/price.js";
import type { Reads, Transaction } from "../database/database.js";
import { lessThan, table } from "../database/table.js";
import type { PaymentState, TillPayment } from "./till.js";

/** Every move that a payment may make; `new`: no row yet. A refund by the till itself comes at any time before the end. */
const MOVES: Readonly<Record<PaymentState | "new", readonly PaymentState[]>> = {
  new: ["credited", "unmatched", "refunded"],
  unmatched: ["credited", "refunding", "refunded"],
  credited: ["refunding", "refunded"],
  // Back where the till refuses: the debit is given back too.
  refunding: ["refunded", "credited", "unmatched"],
  refunded: [],
};

/** What a move changes beside the state. */
type PaymentChange = Partial<Pick<TillPayment, "account_id" | "kopecks" | "owed_kopecks" | "refund_tries">>;

export const payments = table("till_payment", ["state"]);

export function insertPayment(
  tx: Transaction,
  row: Omit<TillPayment, "id" | "refund_tries" | "owed_kopecks" | "told_at" | "returned" | "told_returned">,
): TillPayment {
  if (!MOVES.new.includes(row.state)) throw new Error(`no payment begins as ${row.state}`);
  const told_returned = row.state === "refunded" ? 0 : null;
  const id = payments.insert(tx, { ...row, told_at: null, told_returned });
  const inserted = payments.get(tx, { id });
  if (!inserted) throw new Error("the insert of a payment made no row");
  return inserted;
}

/** Moves a payment, in the transaction that moves its money. Throws for a move that no payment makes. */
export function movePayment(
  tx: Transaction,
  row: TillPayment,
  state: PaymentState,
  change: PaymentChange = {},
): TillPayment {
  if (!MOVES[row.state].includes(state)) throw new Error(`no payment moves from ${row.state} to ${state}`);
  const told_returned = state === "refunded" ? (row.told_returned ?? row.returned) : row.told_returned;
  payments.update(tx, { id: row.id }, { ...change, state, told_returned });
  return { ...row, ...change, state, told_returned };
}

/** Returns the newest payments first, of those with an id below `beforeId`. */
export function paymentsOfAccount(
  source: Reads,
  accountId: number,
  limit: number,
  beforeId: number = Number.MAX_SAFE_INTEGER,
): TillPayment[] {
  const older = { account_id: accountId, id: lessThan(beforeId) };
  return payments.all(source, older, { orderBy: ["id desc"], limit });
}

/** Returns what a payment has brought and was not taken back with a part of it. */
export function keptOf({ kopecks, id, price, returned }: TillPayment): Kopecks {
  if (kopecks === null) throw new Error(`payment ${id} was never credited`);
  return asKopecks(kopecks - (price === 0 ? 0 : Math.floor((kopecks * returned) / price)));
}
