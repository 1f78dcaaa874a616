import { type Selectable, sql } from "kysely";
import type { Database } from "../../database/database.js";
import { prepare } from "../../database/prepared.js";
import { qb } from "../../database/schema.js";
import type { Transaction } from "../../database/transaction.js";
import type { Integer } from "../../platform/integer.js";
import type { KeyTable } from "./key-table.js";

export type KeyRow = Readonly<Selectable<KeyTable>>;

export type NewKey = Pick<KeyRow, "account_id" | "prefix" | "hash" | "name" | "created_at">;

const insertKey = prepare<NewKey, KeyRow>((p) =>
  qb
    .insertInto("api_key")
    .values({
      account_id: p.account_id,
      prefix: p.prefix,
      hash: p.hash,
      name: p.name,
      created_at: p.created_at,
    })
    .returningAll(),
);
const selectLivingByHash = prepare<{ hash: string }, KeyRow>((p) =>
  qb.selectFrom("api_key").selectAll().where("hash", "=", p.hash).where("revoked_at", "is", sql.lit(null)),
);
const selectByAccount = prepare<{ accountId: number }, KeyRow>((p) =>
  qb.selectFrom("api_key").selectAll().where("account_id", "=", p.accountId).orderBy("id"),
);
const selectById = prepare<{ id: number }, KeyRow>((p) =>
  qb.selectFrom("api_key").selectAll().where("id", "=", p.id),
);
const updateRevoked = prepare<{ id: number; at: Integer }>((p) =>
  qb
    .updateTable("api_key")
    .set({ revoked_at: p.at })
    .where("id", "=", p.id)
    .where("revoked_at", "is", sql.lit(null)),
);
const updateUsed = prepare<{ id: number; at: Integer }>((p) =>
  qb.updateTable("api_key").set({ last_used_at: p.at }).where("id", "=", p.id),
);

const updateAllRevoked = prepare<{ accountId: number; at: Integer }>((p) =>
  qb
    .updateTable("api_key")
    .set((eb) => ({ name: sql.lit(null), revoked_at: eb.fn.coalesce("revoked_at", sql<Integer>`${p.at}`) }))
    .where("account_id", "=", p.accountId),
);

type Source = Transaction | Database;

export function insertNewKey(tx: Transaction, key: NewKey): KeyRow {
  const row = tx.first(insertKey, key);
  if (!row) throw new Error("the insert of a key returned no row");
  return row;
}

export function livingKeyByHash(source: Source, hash: string): KeyRow | undefined {
  return source.first(selectLivingByHash, { hash });
}

export function keysOfAccount(source: Source, accountId: number): KeyRow[] {
  return source.all(selectByAccount, { accountId });
}

export function keyById(source: Source, id: number): KeyRow | undefined {
  return source.first(selectById, { id });
}

export function revokeKey(tx: Transaction, id: number, at: Integer): boolean {
  return tx.run(updateRevoked, { id, at }) === 1;
}

export function touchKey(tx: Transaction, id: number, at: Integer): void {
  tx.run(updateUsed, { id, at });
}

/** Revokes the keys of an account, and erases their names. */
export function revokeAllKeys(tx: Transaction, accountId: number, at: Integer): void {
  tx.run(updateAllRevoked, { accountId, at });
}
