import type { Database } from "../../database/database.js";
import { prepare } from "../../database/prepared.js";
import { qb } from "../../database/schema.js";
import type { Transaction } from "../../database/transaction.js";
import type { Integer } from "../../platform/integer.js";
import { recordAct } from "../audit/audit-log.js";
import type { ErasureRow } from "./erasure-table.js";

const insert = prepare<ErasureRow>((p) =>
  qb
    .insertInto("erasure")
    .values({ account_id: p.account_id, actor: p.actor, asked_at: p.asked_at })
    .onConflict((conflict) => conflict.doNothing()),
);
const selectAll = prepare<object, ErasureRow>(() =>
  qb.selectFrom("erasure").selectAll().orderBy("asked_at").orderBy("account_id"),
);
const selectOne = prepare<{ accountId: number }, ErasureRow>((p) =>
  qb.selectFrom("erasure").selectAll().where("account_id", "=", p.accountId),
);
const remove = prepare<{ accountId: number }>((p) =>
  qb.deleteFrom("erasure").where("account_id", "=", p.accountId),
);

type Source = Transaction | Database;

interface Asked {
  accountId: number;
  actor: string;
  at: Integer;
}

/** Stores the wish with its act. False when it is stored already. */
export function askErasure(tx: Transaction, { accountId, actor, at }: Asked): boolean {
  if (tx.run(insert, { account_id: accountId, actor, asked_at: at }) === 0) return false;
  recordAct(tx, { ...actOf(accountId, actor, at), act: "forget" });
  return true;
}

/** Removes the wish and records that it is done. Harmless when it is gone. */
export function endErasure(tx: Transaction, { accountId, at }: Omit<Asked, "actor">): void {
  if (tx.run(remove, { accountId }) === 0) return;
  recordAct(tx, { ...actOf(accountId, "service", at), act: "forgotten" });
}

export function erasures(source: Source): ErasureRow[] {
  return source.all(selectAll, {});
}

export function erasureOf(source: Source, accountId: number): ErasureRow | undefined {
  return source.first(selectOne, { accountId });
}

function actOf(accountId: number, actor: string, at: Integer) {
  return { at, actor, accountId, subject: null, before: null, after: null, reason: null };
}
