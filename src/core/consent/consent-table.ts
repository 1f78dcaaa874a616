import type { Integer } from "../../platform/integer.js";

/** An agreement to one version of a document. Rows are never updated. */
export interface ConsentTable {
  account_id: number;
  document: string;
  version: string;
  agreed_at: Integer;
}

declare module "../../database/schema.js" {
  interface Schema {
    consent: ConsentTable;
  }
}
