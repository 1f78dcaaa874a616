import type { Database } from "../../../database/database.js";
import { prepare } from "../../../database/prepared.js";
import { qb } from "../../../database/schema.js";
import type { Integer } from "../../../platform/integer.js";

interface SpentRow {
  currency: string | null;
  amount: number;
}

/** Reads the index of submissions. */
export const selectSpent = prepare<{ provider: string; since: Integer }, SpentRow>((p) =>
  qb
    .selectFrom("attempt")
    .select((eb) => ["cost_currency as currency", eb.fn.sum<number>("cost_amount").as("amount")])
    .where("provider", "=", p.provider)
    .where("submitted_at", ">=", p.since)
    .where("cost_amount", "is not", null)
    .groupBy("cost_currency"),
);

/** Sums what tasks of a service cost that were sent from `since` on, in ms since the epoch, in one currency. */
export function spentSince(database: Database, provider: string, since: Integer, currency: string): number {
  const rows = database.all(selectSpent, { provider, since });
  return rows.find((row) => row.currency === currency)?.amount ?? 0;
}
