import { type EntryDetail, TILL_ACTOR } from "../accounts/ledger-store.js";
import type { Integer } from "../platform/integer.js";

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
