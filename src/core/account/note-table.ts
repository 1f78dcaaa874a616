import type { Generated } from "kysely";
import type { Integer } from "../../platform/integer.js";

/** What admins remember of an account, for each other. */
export interface AccountNoteTable {
  id: Generated<number>;
  account_id: number;
  /** A key is written at most once. */
  idempotency_key: string;
  actor: string;
  text: string;
  created_at: Integer;
}

declare module "../../database/schema.js" {
  interface Schema {
    account_note: AccountNoteTable;
  }
}
