import type { Kopecks } from "../contract/price.js";
import type { Reads, Transaction } from "../database/database.js";
import { moreThan, table } from "../database/table.js";
import type { Integer } from "../platform/integer.js";
import { DAY_MS } from "../platform/units.js";
import type { User } from "./account-store.js";
import { appendEntry, SERVICE_ACTOR } from "./ledger-store.js";

const AGE_MIN_MS = 30 * DAY_MS;
const LETTER = /\p{L}/u;

/** Judges who gets a welcome credit at first contact. */
export interface WelcomeGuard {
  /** Returns the latest time by which a user id was given out, in ms since the epoch. Undefined where nobody knows. */
  latestBirthOf(userId: number): number | undefined;
}

/** Tells whether a person looks real: they have a name, and an id that is known to be older than 30 days. */
export function looksReal({ id, name }: User, { latestBirthOf }: WelcomeGuard, at: number): boolean {
  const bornBy = latestBirthOf(id);
  return LETTER.test(name) && bornBy !== undefined && at - bornBy >= AGE_MIN_MS;
}

/** `given` at first contact, or `offered` there and `taken` by a tap. */
type WelcomeState = "given" | "offered" | "taken";

/** Welcome credit of an account, which has at most one, also after its person was forgotten. */
interface WelcomeCreditRow {
  account_id: number;
  kopecks: Kopecks;
  state: WelcomeState;
  /** Time of the first contact, in ms since the epoch. */
  at: Integer;
}

declare module "../database/prepared.js" {
  interface Schema {
    welcome_credit: WelcomeCreditRow;
  }
}

const credits = table("welcome_credit", ["state"]);

export function offeredWelcome(source: Reads, accountId: number): Kopecks | undefined {
  return credits.get(source, { account_id: accountId, state: "offered" })?.kopecks;
}

/** Credits what waits for an account, once. Undefined where nothing does. */
export function takeOfferedWelcome(tx: Transaction, accountId: number, at: Integer) {
  const kopecks = offeredWelcome(tx, accountId);
  if (kopecks === undefined) return undefined;
  credits.update(tx, { account_id: accountId, state: "offered" }, { state: "taken" });
  return { kopecks, balanceKopecks: creditWelcome(tx, accountId, kopecks, at) };
}

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
  const given = credits.count(tx, { state: "given", at: moreThan(at - DAY_MS) });
  const isGiven = !guard || (looksReal(user, guard, at) && given < WELCOMES_A_DAY_MAX);
  credits.insert(tx, { account_id, kopecks, state: isGiven ? "given" : "offered", at });
  if (isGiven) creditWelcome(tx, account_id, kopecks, at);
}

/** Credits a welcome credit, with the key that makes a second one impossible. Returns the new balance. */
function creditWelcome(tx: Transaction, accountId: number, kopecks: Kopecks, at: Integer): Kopecks {
  const { balanceKopecks } = appendEntry(tx, accountId, "credit", kopecks, {
    reason: "welcome",
    actor: SERVICE_ACTOR,
    idempotencyKey: `welcome:${accountId}`,
    at,
  });
  return balanceKopecks;
}
