/** Reasons of the entries that payments make in the ledger. Stored: they never change. */
export const ENTRY_REASONS = {
  paid: "top-up",
  refunded: "top-up refunded",
  kept: "top-up not refunded",
} as const;

const ACTOR = "till:";

/** Returns the actor of a till's entries. */
export function tillActor(till: string): string {
  return ACTOR + till;
}

export function tillOfActor(actor: string): string {
  return actor.slice(ACTOR.length);
}
