import type { Generated } from "kysely";
import type { Kopecks } from "../../../contract/money.js";
import type { Integer } from "../../../platform/integer.js";

export interface AskedCorrectionTable {
  id: Generated<number>;
  idempotency_key: string;
  admin_id: number;
  kind: string;
  user_id: number;
  kopecks: Kopecks;
  reason: string | null;
  asked_at: Integer;
}

declare module "../../../database/schema.js" {
  interface Schema {
    asked_correction: AskedCorrectionTable;
  }
}
