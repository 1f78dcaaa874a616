import { sql } from "kysely";
import type { Kopecks } from "../contract/price.js";
import type { Reads, Transaction } from "../database/database.js";
import { prepare, qb } from "../database/prepared.js";
import { table } from "../database/table.js";
import { type Integer, integer } from "../platform/integer.js";
import { DAY_MS } from "../platform/units.js";
import type { User } from "./account-store.js";
import { appendEntry, SERVICE_ACTOR } from "./ledger-store.js";

export type WelcomeOutcome =
  | { kind: "credited"; kopecks: Kopecks; balanceKopecks: Kopecks }
  /** Nothing waits for the person: they have it already, or it was never meant for them. */
  | { kind: "none" };

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

const credits = table("welcome_credit");

// A literal: the planner ignores the partial index otherwise.
const GIVEN = sql.lit<WelcomeState>("given");

const countGiven = prepare<{ since: Integer }, { credits: number }>((p) =>
  qb
    .selectFrom("welcome_credit")
    .select((eb) => eb.fn.countAll<number>().as("credits"))
    .where("state", "=", GIVEN)
    .where("at", ">", p.since),
);

/** A test checks that it uses its index. */
export const WELCOME_QUERIES = { countGiven };

export function offeredWelcome(source: Reads, accountId: number): Kopecks | undefined {
  return credits.get(source, { account_id: accountId, state: "offered" })?.kopecks;
}

/** Returns the sum of a credit that waited and is taken now. */
export function takeOfferedWelcome(tx: Transaction, accountId: number): Kopecks | undefined {
  const kopecks = offeredWelcome(tx, accountId);
  if (kopecks !== undefined)
    credits.update(tx, { account_id: accountId, state: "offered" }, { state: "taken" });
  return kopecks;
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
  const given = tx.first(countGiven, { since: integer(at - DAY_MS) })?.credits ?? 0;
  const isGiven = !guard || (looksReal(user, guard, at) && given < WELCOMES_A_DAY_MAX);
  credits.insert(tx, { account_id, kopecks, state: isGiven ? "given" : "offered", at });
  if (isGiven) creditWelcome(tx, account_id, kopecks, at);
}

/** Credits a welcome credit, with the key that makes a second one impossible. Returns the new balance. */
export function creditWelcome(tx: Transaction, accountId: number, kopecks: Kopecks, at: Integer): Kopecks {
  const { balanceKopecks } = appendEntry(tx, accountId, "credit", kopecks, {
    reason: "welcome",
    actor: SERVICE_ACTOR,
    idempotencyKey: `welcome:${accountId}`,
    at,
  });
  return balanceKopecks;
}
