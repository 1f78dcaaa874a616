import type { Generated } from "kysely";
import type { Kopecks } from "../../contract/money.js";
import type { Integer } from "../../platform/integer.js";

export type EntryKind = "credit" | "debit" | "charge" | "refund";

/** Append-only: rows are never updated or deleted. */
export interface LedgerEntryTable {
  id: Generated<number>;
  account_id: number;
  kind: EntryKind;
  /** Signed: credits and refunds are positive, debits and charges negative. */
  amount: Kopecks;
  balance_after: Kopecks;
  reason: string | null;
  /** `ctl`, `service`, or an admin as the front-end names them. */
  actor: string;
  order_id: string | null;
  job_id: number | null;
  idempotency_key: string | null;
  /** Milliseconds since the epoch. */
  created_at: Integer;
}

declare module "../../database/schema.js" {
  interface Schema {
    ledger_entry: LedgerEntryTable;
  }
}
