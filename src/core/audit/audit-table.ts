import type { Generated } from "kysely";
import type { Integer } from "../../platform/integer.js";

/** Append-only: rows are never updated or deleted. */
export interface AuditEntryTable {
  id: Generated<number>;
  /** Milliseconds since the epoch. */
  at: Integer;
  actor: string;
  act: string;
  account_id: number | null;
  subject: string | null;
  /** JSON of `AuditDetail`. */
  before: string | null;
  after: string | null;
  reason: string | null;
}

declare module "../../database/schema.js" {
  interface Schema {
    audit_entry: AuditEntryTable;
  }
}
