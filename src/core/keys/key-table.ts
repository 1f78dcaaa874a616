import type { Generated } from "kysely";
import type { Integer } from "../../platform/integer.js";

export interface KeyTable {
  id: Generated<number>;
  account_id: number;
  /** First characters of the key, shown to its owner. */
  prefix: string;
  /** SHA-256 of the key in hex. The key itself is not stored. */
  hash: string;
  name: string | null;
  /** Times are in milliseconds since the epoch. */
  created_at: Integer;
  last_used_at: Integer | null;
  revoked_at: Integer | null;
}

declare module "../../database/schema.js" {
  interface Schema {
    api_key: KeyTable;
  }
}
