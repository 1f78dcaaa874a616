import type { Kopecks } from "../contract/money.js";
import type { User } from "./gateway.js";

export interface Correction {
  userId: number;
  /** Positive amount; the method gives the sign. */
  kopecks: Kopecks;
  reason: string | null;
  actor: string;
  /** Key under which the correction is applied at most once. */
  idempotencyKey: string;
}

export interface MadeCorrection {
  userId: number;
  kopecks: Kopecks;
  reason: string | null;
  balanceKopecks: Kopecks;
}

export type CorrectionOutcome =
  /** `debtPaidKopecks`: the part of a credit that paid what the account owed. */
  | { outcome: "done"; balanceKopecks: Kopecks; debtPaidKopecks: Kopecks }
  | { outcome: "repeated"; balanceKopecks: Kopecks }
  | { outcome: "too_large"; balanceKopecks: Kopecks };

export interface AccountAdmin {
  /** Credits a user, who must have an account; `Gateways.of` creates one. */
  credit(correction: Correction): Promise<CorrectionOutcome>;
  debit(correction: Correction): Promise<CorrectionOutcome>;
  ensure(user: User): Promise<void>;
  correctionMade(idempotencyKey: string): Promise<MadeCorrection | undefined>;
  /** Returns undefined for a user without an account. Never creates one. */
  balanceOf(userId: number): Promise<Kopecks | undefined>;
}
