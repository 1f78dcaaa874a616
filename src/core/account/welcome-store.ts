import { sql } from "kysely";
import type { Kopecks } from "../../contract/money.js";
import type { Database } from "../../database/database.js";
import { prepare } from "../../database/prepared.js";
import { qb } from "../../database/schema.js";
import type { Transaction } from "../../database/transaction.js";
import type { Integer } from "../../platform/integer.js";
import type { WelcomeCreditRow, WelcomeState } from "./welcome-table.js";

// Literals: the planner ignores the partial index otherwise.
const GIVEN = sql.lit<WelcomeState>("given");
const OFFERED = sql.lit<WelcomeState>("offered");

const insert = prepare<WelcomeCreditRow>((p) =>
  qb
    .insertInto("welcome_credit")
    .values({ account_id: p.account_id, kopecks: p.kopecks, state: p.state, at: p.at }),
);
const countGiven = prepare<{ since: Integer }, { credits: number }>((p) =>
  qb
    .selectFrom("welcome_credit")
    .select((eb) => eb.fn.countAll<number>().as("credits"))
    .where("state", "=", GIVEN)
    .where("at", ">", p.since),
);
const selectOffered = prepare<{ account_id: number }, Pick<WelcomeCreditRow, "kopecks">>((p) =>
  qb
    .selectFrom("welcome_credit")
    .select("kopecks")
    .where("account_id", "=", p.account_id)
    .where("state", "=", OFFERED),
);
const markTaken = prepare<{ account_id: number }>((p) =>
  qb
    .updateTable("welcome_credit")
    .set({ state: sql.lit<WelcomeState>("taken") })
    .where("account_id", "=", p.account_id)
    .where("state", "=", OFFERED),
);

/** A test checks that it uses its index. */
export const WELCOME_QUERIES = { countGiven };

export function insertWelcome(tx: Transaction, row: WelcomeCreditRow): void {
  tx.run(insert, row);
}

/** Counts the credits that were given at first contact after a moment. */
export function givenWelcomes(tx: Transaction, since: Integer): number {
  return tx.first(countGiven, { since })?.credits ?? 0;
}

export function offeredWelcome(source: Transaction | Database, accountId: number): Kopecks | undefined {
  return source.first(selectOffered, { account_id: accountId })?.kopecks;
}

/** Returns the sum of a credit that waited and is taken now. */
export function takeOfferedWelcome(tx: Transaction, accountId: number): Kopecks | undefined {
  const kopecks = offeredWelcome(tx, accountId);
  if (kopecks !== undefined) tx.run(markTaken, { account_id: accountId });
  return kopecks;
}
