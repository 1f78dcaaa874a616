import { type Generated, type Selectable, sql } from "kysely";
import type { Database } from "../../database/database.js";
import { prepare } from "../../database/prepared.js";
import { qb } from "../../database/schema.js";
import type { Transaction } from "../../database/transaction.js";
import type { Integer } from "../../platform/integer.js";

/** Idempotency keys of accepted API requests. */
export interface IdempotencyKeyTable {
  id: Generated<number>;
  account_id: number;
  key: string;
  fingerprint: string;
  order_id: string;
  /** Time of acceptance, in ms since the epoch. */
  created_at: Integer;
}

declare module "../../database/schema.js" {
  interface Schema {
    idempotency_key: IdempotencyKeyTable;
  }
}
export type IdempotencyKeyRow = Readonly<Selectable<IdempotencyKeyTable>>;

const selectKey = prepare<{ accountId: number; key: string }, IdempotencyKeyRow>((p) =>
  qb.selectFrom("idempotency_key").selectAll().where("account_id", "=", p.accountId).where("key", "=", p.key),
);
const deleteExpiredKey = prepare<{ accountId: number; key: string; until: Integer }>((p) =>
  qb
    .deleteFrom("idempotency_key")
    .where("account_id", "=", p.accountId)
    .where("key", "=", p.key)
    .where("created_at", "<=", p.until),
);
const insertKey = prepare<Omit<IdempotencyKeyRow, "id">>((p) =>
  qb.insertInto("idempotency_key").values({
    account_id: p.account_id,
    key: p.key,
    fingerprint: p.fingerprint,
    order_id: p.order_id,
    created_at: p.created_at,
  }),
);
const deleteExpired = prepare<{ until: Integer; limit: number }>((p) =>
  qb
    .deleteFrom("idempotency_key")
    .where("id", "in", (eb) =>
      eb.selectFrom("idempotency_key").select("id").where("created_at", "<=", p.until).limit(p.limit),
    ),
);
const selectOldest = prepare<object, { created_at: Integer }>(() =>
  qb.selectFrom("idempotency_key").select("created_at").orderBy("created_at").limit(sql.lit(1)),
);

/** Reads the row of a key, which may have expired already. */
export function idempotencyKey(
  source: Transaction | Database,
  accountId: number,
  key: string,
): IdempotencyKeyRow | undefined {
  return source.first(selectKey, { accountId, key });
}

/** Stores a key, over a row of it created up to `expiredUntil` (ms since the epoch). Throws where one is unexpired. */
export function insertIdempotencyKey(
  tx: Transaction,
  row: Omit<IdempotencyKeyRow, "id">,
  expiredUntil: number,
): void {
  tx.run(deleteExpiredKey, { accountId: row.account_id, key: row.key, until: expiredUntil });
  tx.insert(insertKey, row);
}

export function hasExpiredKeys(source: Transaction | Database, until: Integer): boolean {
  const oldest = source.first(selectOldest, {});
  return oldest !== undefined && oldest.created_at <= until;
}

export function deleteExpiredKeys(tx: Transaction, until: Integer, limit: number): number {
  return tx.run(deleteExpired, { until, limit });
}
