import type { TelegramUser } from "./gateway.js";

/** A correction of a balance by an admin. */
export interface Correction {
  userId: number;
  /** Positive; the operation gives the sign. */
  kopecks: number;
  reason: string | null;
  /** Who did it, for the record: `telegram:<id>` or `ctl`. */
  actor: string;
  /** The same key never corrects twice. */
  idempotencyKey: string;
}

/** What came of a correction. Balances in kopecks. */
export type CorrectionOutcome =
  | { outcome: "done"; balanceKopecks: number }
  /** The same correction had been made before; nothing was changed now. */
  | { outcome: "repeated"; balanceKopecks: number }
  /** The debit is larger than the balance; nothing was changed. */
  | { outcome: "too_large"; balanceKopecks: number };

/** Management of accounts by the admins of the chat. Absent when CORE=api. */
export interface AccountAdmin {
  /** The person must have an account: `Gateways.of` makes one on first contact. */
  credit(correction: Correction): Promise<CorrectionOutcome>;
  debit(correction: Correction): Promise<CorrectionOutcome>;
  /** Makes the account of a person whom the bot knows but who has no account yet. */
  ensure(user: TelegramUser): Promise<void>;
}
