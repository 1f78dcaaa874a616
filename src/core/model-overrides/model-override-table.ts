import type { Integer } from "../../platform/integer.js";

/** What an admin changed of a model; no row where nothing is. */
export interface ModelOverrideTable {
  model_key: string;
  is_off: 0 | 1;
  note: string | null;
  changed_at: Integer;
}

declare module "../../database/schema.js" {
  interface Schema {
    model_override: ModelOverrideTable;
  }
}
