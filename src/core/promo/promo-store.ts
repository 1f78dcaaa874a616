import { sql } from "kysely";
import type { Database } from "../../database/database.js";
import { isConstraint } from "../../database/errors.js";
import { prepare } from "../../database/prepared.js";
import { qb } from "../../database/schema.js";
import type { Transaction } from "../../database/transaction.js";
import type { Integer } from "../../platform/integer.js";
import type { PromoCodeRow, PromoUseRow } from "./promo-table.js";

const LISTED_MAX = 200;

const insertCode = prepare<PromoCodeRow>((p) =>
  qb.insertInto("promo_code").values({
    code: p.code,
    kopecks: p.kopecks,
    uses: p.uses,
    uses_max: p.uses_max,
    valid_until: p.valid_until,
    created_at: p.created_at,
  }),
);
const selectCode = prepare<{ code: string }, PromoCodeRow>((p) =>
  qb.selectFrom("promo_code").selectAll().where("code", "=", p.code),
);
const selectCodes = prepare<object, PromoCodeRow>(() =>
  qb
    .selectFrom("promo_code")
    .selectAll()
    .orderBy("created_at", "desc")
    .orderBy("code")
    .limit(sql.lit(LISTED_MAX)),
);
/** Takes one of the uses, where one is left. */
const countUse = prepare<{ code: string; at: Integer }>((p) =>
  qb
    .updateTable("promo_code")
    .set((eb) => ({ uses: eb("uses", "+", eb.lit(1)) }))
    .where("code", "=", p.code)
    .whereRef("uses", "<", "uses_max")
    .where("valid_until", ">", p.at),
);
const insertUse = prepare<PromoUseRow>((p) =>
  qb.insertInto("promo_use").values({ code: p.code, account_id: p.account_id, at: p.at }),
);
const selectUse = prepare<Pick<PromoUseRow, "code" | "account_id">, Pick<PromoUseRow, "at">>((p) =>
  qb.selectFrom("promo_use").select("at").where("code", "=", p.code).where("account_id", "=", p.account_id),
);
const insertTry = prepare<{ account_id: number; at: Integer }>((p) =>
  qb.insertInto("promo_try").values({ account_id: p.account_id, at: p.at }),
);
const selectTries = prepare<{ account_id: number; since: Integer }, { at: Integer }>((p) =>
  qb
    .selectFrom("promo_try")
    .select("at")
    .where("account_id", "=", p.account_id)
    .where("at", ">", p.since)
    .orderBy("at"),
);
const deleteTries = prepare<{ account_id: number; since: Integer }>((p) =>
  qb.deleteFrom("promo_try").where("account_id", "=", p.account_id).where("at", "<=", p.since),
);

/** Returns false when there is such a code already. */
export function insertNewCode(tx: Transaction, row: PromoCodeRow): boolean {
  try {
    tx.run(insertCode, row);
    return true;
  } catch (error) {
    if (isConstraint(error)) return false;
    throw error;
  }
}

export function promoCode(source: Transaction | Database, code: string): PromoCodeRow | undefined {
  return source.first(selectCode, { code });
}

export function allPromoCodes(source: Database): PromoCodeRow[] {
  return source.all(selectCodes, {});
}

export function isCodeUsed(tx: Transaction, code: string, accountId: number): boolean {
  return tx.first(selectUse, { code, account_id: accountId }) !== undefined;
}

/** Takes a use for the account. False when none is left, or the code is over. */
export function takeUse(tx: Transaction, code: string, accountId: number, at: Integer): boolean {
  if (tx.run(countUse, { code, at }) === 0) return false;
  tx.run(insertUse, { code, account_id: accountId, at });
  return true;
}

/** Writes a wrong try, and removes those that no longer count. */
export function noteWrongTry(tx: Transaction, accountId: number, at: Integer, since: Integer): void {
  tx.run(deleteTries, { account_id: accountId, since });
  tx.run(insertTry, { account_id: accountId, at });
}

/** Returns the times of wrong tries after a moment, oldest first. */
export function wrongTries(tx: Transaction, accountId: number, since: Integer): Integer[] {
  return tx.all(selectTries, { account_id: accountId, since }).map(({ at }) => at);
}
