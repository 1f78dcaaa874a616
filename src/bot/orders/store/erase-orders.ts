import { sql } from "kysely";
import { prepare } from "../../../database/prepared.js";
import { qb } from "../../../database/schema.js";
import type { Transaction } from "../../../database/transaction.js";

// A person's name is never empty, so an empty one marks an order that is erased.
const selectKept = prepare<{ userId: number; limit: number }, { id: string }>((p) =>
  qb
    .selectFrom("order")
    .select("id")
    .where("user_id", "=", p.userId)
    .where("user_name", "!=", sql.lit(""))
    .where("state", "in", [sql.lit("closed" as const), sql.lit("refused" as const)])
    .limit(p.limit),
);
const selectOpen = prepare<{ userId: number }, { id: string }>((p) =>
  qb
    .selectFrom("order")
    .select("id")
    .where("user_id", "=", p.userId)
    .where("state", "not in", [sql.lit("closed" as const), sql.lit("refused" as const)])
    .limit(sql.lit(1)),
);
const eraseOrder = prepare<{ id: string }>((p) =>
  qb
    .updateTable("order")
    .set({
      user_name: sql.lit(""),
      request: sql<string>`json_object('type', request ->> '$.type', 'model_key', request ->> '$.model_key')`,
    })
    .where("id", "=", p.id),
);
const eraseDelivery = prepare<{ id: string }>((p) =>
  qb
    .updateTable("delivery")
    .set({ files: sql.lit("[]"), originals: sql.lit("[]"), outcome: sql.lit(null) })
    .where("order_id", "=", p.id),
);
const deleteOffers = prepare<{ userId: number }>((p) =>
  qb.deleteFrom("delivery_offer").where("user_id", "=", p.userId),
);

/** Erases words, names and files of ended orders, at most `limit`. Returns how many it erased. */
export function eraseOrders(tx: Transaction, userId: number, limit: number): number {
  const orders = tx.all(selectKept, { userId, limit });
  for (const { id } of orders) {
    tx.run(eraseOrder, { id });
    tx.run(eraseDelivery, { id });
  }
  tx.run(deleteOffers, { userId });
  return orders.length;
}

/** True while an order of the person is paid for and has not ended, or nobody knows whether it was paid for. */
export function hasOpenOrders(source: Pick<Transaction, "first">, userId: number): boolean {
  return source.first(selectOpen, { userId }) !== undefined;
}
