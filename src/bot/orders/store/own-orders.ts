import { rublesOf } from "../../../contract/money.js";
import type { Database } from "../../../database/database.js";
import { prepare } from "../../../database/prepared.js";
import { qb } from "../../../database/schema.js";
import type { DataSection } from "../../../ports/personal-data.js";
import { type OrderRow, orderOf } from "./order-table.js";

/** Rows hold whole requests: a page is read in a few ms. */
const PAGE_ROWS = 25;

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
  return { name: "orders", rows: lines(database, userId) };
}

function* lines(database: Database, userId: number) {
  for (let after = { createdAt: -1, id: "" }; ; ) {
    const rows = database.all(selectPage, { userId, ...after, limit: PAGE_ROWS });
    for (const row of rows) yield lineOf(row);
    const last = rows.at(-1);
    if (!last || rows.length < PAGE_ROWS) return;
    after = { createdAt: last.created_at, id: last.id };
  }
}

function lineOf(row: OrderRow) {
  const { id, chatId, modelTitle, request, quotedKopecks, state, createdAt } = orderOf(row);
  return {
    order_id: id,
    created_at: new Date(createdAt).toISOString(),
    chat_id: chatId,
    model: modelTitle,
    request,
    price_rub: rublesOf(quotedKopecks),
    state,
  };
}
