import type { Integer } from "../../platform/integer.js";

/** An account whose person asked to be forgotten. The row lasts until everything is erased. */
export interface ErasureRow {
  account_id: number;
  actor: string;
  /** Milliseconds since the epoch. */
  asked_at: Integer;
}

declare module "../../database/schema.js" {
  interface Schema {
    erasure: ErasureRow;
  }
}
