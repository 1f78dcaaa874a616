import type { Generated } from "kysely";
import type { Kopecks } from "../contract/price.js";
import type { Database, Transaction } from "../database/database.js";
import type { Ground } from "../database/ground.js";
import { atMost, moreThan, table } from "../database/table.js";
import { type Integer, integer } from "../platform/integer.js";
import { HOUR_MS } from "../platform/units.js";
import { banAt } from "./account-store.js";
import { recordAct } from "./audit-log.js";
import { appendEntry, SERVICE_ACTOR } from "./ledger-store.js";

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

/** Times are in ms since the epoch. */
export interface PromoCode {
  code: string;
  kopecks: Kopecks;
  uses: number;
  uses_max: number;
  valid_until: Integer;
  created_at: Integer;
}

/** Use of a code: each account has one. */
interface PromoUseRow {
  code: string;
  account_id: number;
  at: Integer;
}

/** Wrong code that somebody tried; kept while it counts. */
interface PromoTryTable {
  id: Generated<number>;
  account_id: number;
  at: Integer;
}

declare module "../database/prepared.js" {
  interface Schema {
    promo_code: PromoCode;
    promo_use: PromoUseRow;
    promo_try: PromoTryTable;
  }
}

/** A code fits into a link to the bot, after `p_`. */
const CODE = /^[A-Z0-9_-]{4,40}$/;

/** Reads a code in any case. Undefined for text that is none. */
function readPromoCode(text: string): string | undefined {
  const code = text.trim().toUpperCase();
  return CODE.test(code) ? code : undefined;
}

const LISTED_MAX = 200;

const codes = table("promo_code");
const uses = table("promo_use");
const tries = table("promo_try");

/** Returns all codes, the newest first. */
export function promoCodes(database: Database): PromoCode[] {
  return codes.all(database, {}, { orderBy: ["created_at desc", "code"], limit: LISTED_MAX });
}

/** Wrong tries of an account within an hour, at most. */
const WRONG_TRIES_MAX = 5;

/** Credits a code once for an account: the use, the count and the ledger entry are one transaction. */
export async function redeemPromo(
  { database, clock, logger }: Pick<Ground, "database" | "clock" | "logger">,
  accountId: number,
  text: string,
): Promise<PromoOutcome> {
  const outcome = await database.write("promo:redeem", (tx) => redeem(tx, accountId, text, clock.now()));
  if (outcome.kind === "credited")
    logger.info({ account_id: accountId, kopecks: outcome.kopecks }, "promo code used");
  else if (outcome.kind === "slow")
    logger.warn({ account_id: accountId }, "too many wrong promo codes of an account");
  return outcome;
}

function redeem(tx: Transaction, accountId: number, text: string, at: Integer): PromoOutcome {
  if (banAt(tx, accountId, at)) return { kind: "banned" };
  const since = integer(at - HOUR_MS);
  const recent = tries.all(tx, { account_id: accountId, at: moreThan(since) }, { orderBy: ["at"] });
  // A clock that was set back must not lock anybody out.
  const first = recent.filter((wrong) => wrong.at <= at).at(-WRONG_TRIES_MAX);
  if (first) return { kind: "slow", until: first.at + HOUR_MS };
  const code = readPromoCode(text);
  const row = code === undefined ? undefined : codes.get(tx, { code });
  const isUsed = row && uses.get(tx, { code: row.code, account_id: accountId });
  if (isUsed) return { kind: "used", kopecks: row.kopecks };
  if (!row || row.uses >= row.uses_max || row.valid_until <= at) {
    // Earlier tries no longer count.
    tries.delete(tx, { account_id: accountId, at: atMost(since) });
    tries.insert(tx, { account_id: accountId, at });
    return { kind: "wrong" };
  }
  codes.update(tx, { code: row.code }, { uses: row.uses + 1 });
  uses.insert(tx, { code: row.code, account_id: accountId, at });
  const credited = appendEntry(tx, accountId, "credit", row.kopecks, {
    reason: "promo",
    actor: SERVICE_ACTOR,
    idempotencyKey: `promo:${row.code}:${accountId}`,
    at,
  });
  return { kind: "credited", kopecks: row.kopecks, ...credited };
}

interface NewPromoCode {
  code: string;
  kopecks: Kopecks;
  usesMax: number;
  /** Milliseconds since the epoch. */
  validUntil: number;
}

/** Makes a code for the operator, beside a running service. Throws with a message for the operator. */
export async function createPromoCode(
  { database, clock }: Pick<Ground, "database" | "clock">,
  { code: text, kopecks, usesMax, validUntil }: NewPromoCode,
): Promise<PromoCode> {
  const code = readPromoCode(text);
  if (code === undefined)
    throw new Error("a code has 4 to 40 letters A to Z, digits, hyphens and underscores");
  const at = clock.now();
  if (validUntil <= at) throw new Error("the code would be over already");
  const row = {
    code,
    kopecks,
    uses: 0,
    uses_max: usesMax,
    valid_until: integer(validUntil),
    created_at: at,
  };
  const after = { kopecks, uses: usesMax, until: new Date(validUntil).toISOString() };
  const isNew = await database.write("promo:create", (tx) => {
    if (!codes.insertOnce(tx, row)) return false;
    recordAct(tx, { actor: "ctl", act: "promo", accountId: null, subject: `promo:${code}`, after, at });
    return true;
  });
  if (!isNew) throw new Error(`there is a code ${code} already`);
  return row;
}
