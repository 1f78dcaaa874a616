import { type Generated, type Selectable, sql } from "kysely";
import { TILL_ACTOR } from "../accounts/ledger-store.js";
import type { Kopecks } from "../contract/price.js";
import type { Transaction } from "../database/database.js";
import { prepare, qb } from "../database/prepared.js";
import { table } from "../database/table.js";
import type { Integer } from "../platform/integer.js";
import type { InvoiceState, PaymentState, TillInvoice } from "./till.js";

/** Reasons of the entries that payments make in the ledger. Stored: they never change. */
export const ENTRY_REASONS = {
  paid: "top-up",
  refunded: "top-up refunded",
  kept: "top-up not refunded",
} as const;

/** Returns the actor of a till's entries. */
export function tillActor(till: string): string {
  return TILL_ACTOR + till;
}

/** Undefined for an actor that is no till. */
export function tillOfActor(actor: string): string | undefined {
  return actor.startsWith(TILL_ACTOR) ? actor.slice(TILL_ACTOR.length) : undefined;
}

/** Written before an invoice is sent. What it says is what a payment brings. */
interface TillInvoiceTable {
  id: Generated<number>;
  till: string;
  ref: string;
  account_id: number;
  /** Whole units of the till's currency. */
  price: number;
  kopecks: Kopecks;
  state: InvoiceState;
  made_at: Integer;
  /** The message whose button leads to its page. Null where none has one, or the button is gone again. */
  message_id: number | null;
}

/** Never deleted. `charge_id` is the only identity of a payment. */
export interface TillPaymentTable {
  id: Generated<number>;
  till: string;
  charge_id: string;
  invoice_id: number | null;
  /** Null while nobody knows whose the money is. */
  account_id: number | null;
  /** Who paid, as the front-end knows them. */
  payer: string | null;
  price: number;
  kopecks: Kopecks | null;
  state: PaymentState;
  paid_at: Integer;
  /** Null until the person was told of the credit. */
  told_at: Integer | null;
  /** How many refunds were begun; part of the keys of their entries. */
  refund_tries: Generated<number>;
  /** Part of the running refund that the balance lacked. */
  owed_kopecks: Generated<Kopecks>;
  /** Named where the price is not in the till's own. */
  currency: string | null;
  /** The part of `price` that was paid back while the rest stands. */
  returned: Generated<number>;
}

declare module "../database/prepared.js" {
  interface Schema {
    till_invoice: TillInvoiceTable;
    till_payment: TillPaymentTable;
  }
}

export type InvoiceRow = Selectable<TillInvoiceTable>;

/** Open invoices that an account keeps; older ones are closed. */
const OPEN_MAX = 20;

/** A literal, as the partial index has it. */
const OPEN = sql.lit<InvoiceState>("open");

const invoices = table("till_invoice");
const closeOldest = prepare<{ account_id: number }>((p) =>
  qb
    .updateTable("till_invoice")
    // They can still be paid: their messages stay.
    .set({ state: "closed", message_id: null })
    .where("id", "in", (eb) =>
      eb
        .selectFrom("till_invoice")
        .select("id")
        .where("account_id", "=", p.account_id)
        .where("state", "=", OPEN)
        .orderBy("id", "desc")
        .limit(sql.lit(-1))
        .offset(sql.lit(OPEN_MAX)),
    ),
);
const removeOld = prepare<{ before: Integer }>((p) =>
  qb
    .deleteFrom("till_invoice")
    .where("state", "<>", sql.lit<InvoiceState>("paid"))
    .where("made_at", "<", p.before),
);

const selectEnded = prepare<{ till: string; limit: number }, InvoiceRow>((p) =>
  qb
    .selectFrom("till_invoice")
    .selectAll()
    .where("message_id", "is not", null)
    .where("state", "<>", OPEN)
    .where("till", "=", p.till)
    .orderBy("id")
    .limit(p.limit),
);

export const INVOICE_QUERIES = { selectEnded, closeOldest, removeOld };

export function insertInvoice(
  tx: Transaction,
  row: Omit<InvoiceRow, "id" | "state" | "message_id">,
): InvoiceRow {
  const invoice = { ...row, state: "open", message_id: null } as const;
  const id = invoices.insert(tx, invoice);
  tx.run(closeOldest, { account_id: row.account_id });
  return { ...invoice, id };
}

export function invoiceOf({ made_at, message_id, ...row }: InvoiceRow, userId: number): TillInvoice {
  const { id, till, ref, price, kopecks, state } = row;
  return { id, till, ref, price, kopecks, state, userId, madeAt: made_at, messageId: message_id };
}
