import type { Integer } from "../../platform/integer.js";

/** An admin beside those whom the settings list. */
export interface AdminRow {
  user_id: number;
  /** The name at that time, for lists. */
  name: string;
  /** Milliseconds since the epoch. */
  added_at: Integer;
}

declare module "../../database/schema.js" {
  interface Schema {
    admin: AdminRow;
  }
}
