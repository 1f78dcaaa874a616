import type { Integer } from "../../platform/integer.js";

export interface BanTable {
  account_id: number;
  reason: string | null;
  /** Times are in milliseconds since the epoch. NULL: until it is lifted. */
  until_at: Integer | null;
  banned_at: Integer;
}

declare module "../../database/schema.js" {
  interface Schema {
    ban: BanTable;
  }
}
