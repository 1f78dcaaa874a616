import { setImmediate } from "node:timers/promises";
import { sql } from "kysely";
import { type Kopecks, NO_KOPECKS, sumOf } from "../../../contract/money.js";
import type { Database } from "../../../database/database.js";
import { prepare } from "../../../database/prepared.js";
import { qb } from "../../../database/schema.js";
import type { Integer } from "../../../platform/integer.js";
import type { Figures, Period } from "../../../ports/figures.js";

/** Orders read per turn of the event loop. */
const CHUNK_ORDERS = 1000;

interface SoldOrder {
  id: string;
  user_id: number;
  model_title: string;
  quoted_kopecks: Kopecks;
  state: string;
  created_at: Integer;
}

const selectOrdersAfter = prepare<{ after: string }, SoldOrder>((p) =>
  qb
    .selectFrom("order")
    .select(["id", "user_id", "model_title", "quoted_kopecks", "state", "created_at"])
    .where("id", ">", p.after)
    .orderBy("id")
    .limit(sql.lit(CHUNK_ORDERS)),
);
const ACCEPTED = new Set(["accepted", "delivering", "closed"]);

/** Sums the orders of the chat that a service elsewhere accepted in each period. What they cost there is their income here. */
export async function readOrderFigures(database: Database, periods: readonly Period[]): Promise<Figures[]> {
  const found: SoldOrder[][] = periods.map(() => []);
  for (let after = ""; ; await setImmediate()) {
    const orders = database.all(selectOrdersAfter, { after });
    for (const order of orders.filter(({ state }) => ACCEPTED.has(state)))
      for (const [index, { from, until }] of periods.entries())
        if (order.created_at >= from && order.created_at < until) found[index]?.push(order);
    const last = orders.at(-1);
    if (!last || orders.length < CHUNK_ORDERS) return found.map(figuresOf);
    after = last.id;
  }
}

function figuresOf(orders: readonly SoldOrder[]): Figures {
  const models = new Map<string, { title: string; orders: number; income: Kopecks }>();
  for (const { model_title: title, quoted_kopecks } of orders) {
    const known = models.get(title) ?? { title, orders: 0, income: NO_KOPECKS };
    models.set(title, { title, orders: known.orders + 1, income: sumOf([known.income, quoted_kopecks]) });
  }
  return {
    orders: orders.length,
    buyers: new Set(orders.map(({ user_id }) => user_id)).size,
    income: sumOf(orders.map(({ quoted_kopecks }) => quoted_kopecks)),
    refunds: NO_KOPECKS,
    cost: null,
    models: [...models.values()].sort((a, b) => b.income - a.income),
    failures: [],
  };
}
