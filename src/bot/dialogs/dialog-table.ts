import type { Integer } from "../../platform/integer.js";

/** A dialog of one person in one chat that waits for an answer. */
export interface DialogRow {
  key: string;
  /** JSON, sealed where the service has an encryption key. */
  state: string;
  updated_at: Integer;
}

declare module "../../database/schema.js" {
  interface Schema {
    dialog: DialogRow;
  }
}
