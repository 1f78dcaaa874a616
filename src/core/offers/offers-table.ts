import type { Generated } from "kysely";
import type { Integer } from "../../platform/integer.js";

/** What the operator can have read anew: `OFFERS_FILE`, or `MODERATION_FILE`. */
export type Reloadable = "offers" | "moderation";

/** A wish to read files of the operator anew, and its outcome. Times in ms since the epoch. */
export interface OffersReloadTable {
  id: Generated<number>;
  what: Generated<Reloadable>;
  asked_at: Integer;
  answered_at: Integer | null;
  /** Why nothing was changed; null for a good file. */
  problem: string | null;
}

declare module "../../database/schema.js" {
  interface Schema {
    offers_reload: OffersReloadTable;
  }
}
