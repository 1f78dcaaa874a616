import type { Kopecks } from "../../contract/money.js";
import type { Transaction } from "../../database/transaction.js";
import { type Integer, integer } from "../../platform/integer.js";
import { DAY_MS } from "../../platform/units.js";
import type { User } from "../../ports/gateway.js";
import { appendEntry, SERVICE_ACTOR } from "../ledger/ledger-store.js";
import { looksReal, type WelcomeGuard } from "./welcome-guard.js";
import { givenWelcomes, insertWelcome } from "./welcome-store.js";

/** Credits that are given at first contact within a day, at most; the guard offers the others. */
export const WELCOMES_A_DAY_MAX = 200;

export interface WelcomeTerms {
  kopecks: Kopecks;
  /** Decides who gets the credit at first contact; without it everybody does. */
  guard: WelcomeGuard | undefined;
}

/** Gives a new account its welcome credit, or offers it. Belongs into the transaction that makes the account. */
export function welcome(
  tx: Transaction,
  account_id: number,
  user: User,
  { kopecks, guard }: WelcomeTerms,
  at: Integer,
): void {
  if (kopecks === 0) return;
  const isGiven =
    !guard || (looksReal(user, guard, at) && givenWelcomes(tx, integer(at - DAY_MS)) < WELCOMES_A_DAY_MAX);
  insertWelcome(tx, { account_id, kopecks, state: isGiven ? "given" : "offered", at });
  if (isGiven) creditWelcome(tx, account_id, kopecks, at);
}

/** Credits a welcome credit, with the key that makes a second one impossible. */
export function creditWelcome(tx: Transaction, accountId: number, kopecks: Kopecks, at: Integer): Kopecks {
  const idempotencyKey = `welcome:${accountId}`;
  return appendEntry(tx, accountId, "credit", kopecks, {
    reason: "welcome",
    actor: SERVICE_ACTOR,
    idempotencyKey,
    at,
  });
}
