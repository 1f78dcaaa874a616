import { type LedgerEntry, SERVICE_ACTOR } from "../ledger/ledger-store.js";

/** Begins the actor of entries that a payment made. */
const TILL_ACTOR = "till:";

/** Tells the reason of an entry apart: the name of a text where the service wrote it, and the words of an admin. */
export function entryReason({ kind, actor, reason }: Pick<LedgerEntry, "kind" | "actor" | "reason">): {
  cause: string | null;
  note: string | null;
} {
  const isByService = actor === SERVICE_ACTOR || actor.startsWith(TILL_ACTOR);
  if (!isByService) return { cause: null, note: reason };
  const isOfOrder = kind === "charge" || kind === "refund";
  return { cause: isOfOrder ? null : (reason?.toLowerCase().replaceAll(" ", "-") ?? null), note: null };
}
