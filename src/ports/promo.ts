import type { Kopecks } from "../contract/money.js";
import type { User } from "./gateway.js";

export interface PromoCode {
  code: string;
  kopecks: Kopecks;
  uses: number;
  usesMax: number;
  /** Milliseconds since the epoch. */
  validUntil: number;
}

export type PromoOutcome =
  /** `debtPaidKopecks`: the part that paid what the account owed. */
  | { kind: "credited"; kopecks: Kopecks; balanceKopecks: Kopecks; debtPaidKopecks: Kopecks }
  /** The person may not order. Nothing is told of the code. */
  | { kind: "banned" }
  /** The person has used it before. */
  | { kind: "used"; kopecks: Kopecks }
  /** There is no such code, or it is over. */
  | { kind: "wrong" }
  /** Too many wrong tries: none is looked at before `until`, in ms since the epoch. */
  | { kind: "slow"; until: number };

export interface PromoCodes {
  /** Credits a code once for each person. */
  redeem(user: User, code: string): Promise<PromoOutcome>;
  /** Returns all codes, the newest first. */
  list(): PromoCode[];
}
