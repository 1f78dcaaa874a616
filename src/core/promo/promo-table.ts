import type { Generated } from "kysely";
import type { Kopecks } from "../../contract/money.js";
import type { Integer } from "../../platform/integer.js";

/** Times are in ms since the epoch. */
export interface PromoCodeRow {
  code: string;
  kopecks: Kopecks;
  uses: number;
  uses_max: number;
  valid_until: Integer;
  created_at: Integer;
}

/** Use of a code: each account has one. */
export interface PromoUseRow {
  code: string;
  account_id: number;
  at: Integer;
}

/** Wrong code that somebody tried; kept while it counts. */
export interface PromoTryTable {
  id: Generated<number>;
  account_id: number;
  at: Integer;
}

declare module "../../database/schema.js" {
  interface Schema {
    promo_code: PromoCodeRow;
    promo_use: PromoUseRow;
    promo_try: PromoTryTable;
  }
}
