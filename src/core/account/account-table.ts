import type { Generated } from "kysely";
import type { Kopecks } from "../../contract/money.js";
import type { Integer } from "../../platform/integer.js";

export interface AccountTable {
  id: Generated<number>;
  name: string | null;
  /** Changes only together with a ledger entry; triggers enforce this. */
  balance: Generated<Kopecks>;
  /** Milliseconds since the epoch. */
  created_at: Integer;
}

declare module "../../database/schema.js" {
  interface Schema {
    account: AccountTable;
  }
}
