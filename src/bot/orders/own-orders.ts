import { sql } from "kysely";
import { rublesOf } from "../../contract/price.js";
import type { Database, Reads, Transaction } from "../../database/database.js";
import { prepare, qb } from "../../database/prepared.js";
import { not, table } from "../../database/table.js";
import { type DataSection, linesByPage, PAGE_ROWS } from "../../gather/personal-data-service.js";
import { ORDER_REQUEST, type OrderRow } from "./order.js";

const orders = table("order");
const deliveries = table("delivery");
const offers = table("delivery_offer");

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

/** Erases words, names and files of ended orders, at most `limit`. Returns how many it erased. */
export function eraseOrders(tx: Transaction, userId: number, limit: number): number {
  const kept = tx.all(selectKept, { userId, limit });
  for (const { id } of kept) {
    tx.run(eraseOrder, { id });
    deliveries.update(tx, { order_id: id }, { files: "[]", originals: "[]", outcome: null });
  }
  offers.delete(tx, { user_id: userId });
  return kept.length;
}

/** True while an order of the person is paid for and has not ended, or nobody knows whether it was paid for. */
export function hasOpenOrders(source: Pick<Transaction, "first">, userId: number): boolean {
  return source.first(selectOpen, { userId }) !== undefined;
}

/** True while an order of the person, ended or not, is not erased. */
export function hasUnerasedOrders(source: Reads, userId: number): boolean {
  return orders.get(source, { user_id: userId, user_name: not("") }) !== undefined;
}

const selectPage = prepare<{ userId: number; createdAt: number; id: string; limit: number }, OrderRow>((p) =>
  qb
    .selectFrom("order")
    .selectAll()
    .where("user_id", "=", p.userId)
    .where(({ eb, refTuple, tuple }) =>
      eb(refTuple("created_at", "id"), ">", tuple(p.createdAt as never, p.id)),
    )
    .orderBy("created_at")
    .orderBy("id")
    .limit(p.limit),
);

/** Reads the orders that a person confirmed in chats, page by page. Times are ISO, sums are rubles. */
export function ownOrders(database: Database, userId: number): DataSection {
  const page = (last?: OrderRow) => {
    const after = { createdAt: last?.created_at ?? -1, id: last?.id ?? "" };
    return database.all(selectPage, { userId, ...after, limit: PAGE_ROWS });
  };
  return { name: "orders", rows: linesByPage(page, lineOf) };
}

function lineOf(row: OrderRow) {
  return {
    order_id: row.id,
    created_at: new Date(row.created_at).toISOString(),
    chat_id: row.chat_id,
    model: row.model_title,
    request: ORDER_REQUEST.read(row.request),
    price_rub: rublesOf(row.quoted_kopecks),
    state: row.state,
  };
}
