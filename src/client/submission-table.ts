import type { Integer } from "../platform/integer.js";

/** An order whose POST was sent, or was about to be. Times in ms since the epoch. */
export interface SubmissionRow {
  order_id: string;
  sent_at: Integer;
  repeatable_until: Integer | null;
  accepted: string | null;
  sent_to: string | null;
  /** NULL for the account that everybody shares. */
  account_id: number | null;
}

declare module "../database/schema.js" {
  interface Schema {
    remote_submission: SubmissionRow;
  }
}
