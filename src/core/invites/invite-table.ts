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
  /** Null until the sums were credited. */
  rewarded_at: Integer | null;
  inviter_kopecks: Kopecks;
  invited_kopecks: Kopecks;
  /** Null until both were told. */
  told_at: Integer | null;
}

declare module "../../database/schema.js" {
  interface Schema {
    invite_code: InviteCodeRow;
    invite: InviteRow;
  }
}
