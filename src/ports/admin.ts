import type { Kopecks } from "../contract/money.js";
import type { User } from "./gateway.js";

export interface Correction {
  userId: number;
  /** Positive; the method gives the sign. */
  kopecks: Kopecks;
  reason: string | null;
  actor: string;
  /** A key is applied at most once. */
  idempotencyKey: string;
}

export interface MadeCorrection {
  userId: number;
  kopecks: Kopecks;
  reason: string | null;
  balanceKopecks: Kopecks;
}

export type CorrectionOutcome =
  | { outcome: "done"; balanceKopecks: Kopecks }
  /** The same correction was made before; nothing was changed. */
  | { outcome: "repeated"; balanceKopecks: Kopecks }
  /** The debit exceeds the balance; nothing was changed. */
  | { outcome: "too_large"; balanceKopecks: Kopecks };

/** Account management by the admins of the chat. */
export interface AccountAdmin {
  /** The user must have an account; `Gateways.of` creates one. */
  credit(correction: Correction): Promise<CorrectionOutcome>;
  debit(correction: Correction): Promise<CorrectionOutcome>;
  ensure(user: User): Promise<void>;
  correctionMade(idempotencyKey: string): Promise<MadeCorrection | undefined>;
  /** Undefined for a user without an account. Never creates one. */
  balanceOf(userId: number): Promise<Kopecks | undefined>;
}
