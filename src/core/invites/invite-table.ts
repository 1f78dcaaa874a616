import type { Kopecks } from "../../contract/money.js";
import type { Integer } from "../../platform/integer.js";

export interface InviteCodeRow {
  account_id: number;
  code: string;
  made_at: Integer;
}

/** An invited account. It has one inviter for ever, and brings its sums once. */
export interface InviteRow {
  invited_id: number;
  inviter_id: number;
  at: Integer;
  /** Null until the sums were credited, by the payment that stands below. */
  rewarded_at: Integer | null;
  inviter_kopecks: Kopecks;
  invited_kopecks: Kopecks;
  /** Null until both were told how it stands: rewarded, or taken back. */
  told_at: Integer | null;
  /** The payment that earned the sums last. Null also for one of before payments were kept here. */
  payment_id: number | null;
  /** How often the sums were credited; part of the keys of their entries. */
  rewards: number;
  /** Set while the sums are taken back, with their payment. */
  taken_back_at: Integer | null;
  /** Parts of what was taken back that the balances lacked. */
  inviter_owed_kopecks: Kopecks;
  invited_owed_kopecks: Kopecks;
}

declare module "../../database/schema.js" {
  interface Schema {
    invite_code: InviteCodeRow;
    invite: InviteRow;
  }
}
