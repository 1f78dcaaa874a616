import { sql } from "kysely";
import { type EntryDetail, TILL_ACTOR } from "../accounts/ledger-store.js";
import { prepare, qb } from "../database/prepared.js";
import type { Integer } from "../platform/integer.js";
import type { InvoiceState } from "./till.js";

/** Reasons of the entries that payments make in the ledger. Stored: they never change. */
export const ENTRY_REASONS = {
  paid: "top-up",
  refunded: "top-up refunded",
  kept: "top-up not refunded",
} as const;

/** Describes an entry of a payment; its key is never used for another. */
export function tillEntry(
  till: string,
  reason: keyof typeof ENTRY_REASONS,
  idempotencyKey: string,
  at: Integer,
): EntryDetail {
  return { reason: ENTRY_REASONS[reason], actor: TILL_ACTOR + till, idempotencyKey, at };
}

/** Undefined for an actor that is no till. */
export function tillOfActor(actor: string): string | undefined {
  return actor.startsWith(TILL_ACTOR) ? actor.slice(TILL_ACTOR.length) : undefined;
}

/** Open invoices that an account keeps; older ones are closed. */
const OPEN_MAX = 20;

/** A literal, as the partial index has it. */
const OPEN = sql.lit<InvoiceState>("open");

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

export const INVOICE_QUERIES = { closeOldest };
