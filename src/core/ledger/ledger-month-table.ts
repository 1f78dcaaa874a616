import type { Kopecks } from "../../contract/money.js";
import type { EntryKind } from "./ledger-table.js";

/** Sums of the entries of an account by month (UTC, `2026-11`) and kind. Kept by a trigger of `ledger_entry`. */
export interface LedgerMonthRow {
  account_id: number;
  month: string;
  kind: EntryKind;
  amount: Kopecks;
}

declare module "../../database/schema.js" {
  interface Schema {
    ledger_month: LedgerMonthRow;
  }
}
