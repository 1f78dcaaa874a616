import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { expect, test } from "vitest";
import { NUMBERED_ORDER_QUERIES, OPEN_ORDER_QUERIES } from "../../../../src/bot/orders/order.js";
import { countOpenDeliveries } from "../../../../src/bot/orders/order-figures.js";
import { OFFER_QUERIES, OPEN_DELIVERY_QUERIES } from "../../../../src/bot/orders/order-store.js";
import { UNCERTAIN_QUERIES } from "../../../../src/bot/orders/uncertain-store.js";
import { Database } from "../../../../src/database/database.js";

test("what is open is found by an index, however many orders have ended", async () => {
  const file = join(mkdtempSync(join(tmpdir(), "atelier-open-")), "a.db");
  await Database.open({ file, role: "service" }).close();
  const database = new Sqlite(file);
  const params = { user_id: 1, chat_id: 1, draft_id: 1, now: 0 };
  const queries = [OPEN_ORDER_QUERIES, OPEN_DELIVERY_QUERIES, OFFER_QUERIES, { countOpenDeliveries }].flatMap(
    (of) => Object.values(of),
  );
  for (const query of queries) {
    const { sql, bind } = query.compiled();
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...bind(params));
    expect(JSON.stringify(plan)).toMatch(
      /SEARCH \w+ USING (COVERING )?INDEX (order_open|order_uncertain|delivery_open|delivery_offer_user)/,
    );
    expect(JSON.stringify(plan)).not.toContain("SCAN");
  }
  database.close();
});

test("the orders of a person and the one of a number are found by an index", async () => {
  const file = join(mkdtempSync(join(tmpdir(), "atelier-open-")), "a.db");
  await Database.open({ file, role: "service" }).close();
  const database = new Sqlite(file);
  for (const query of Object.values(NUMBERED_ORDER_QUERIES)) {
    const { sql, bind } = query.compiled();
    const plan = database
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all(...bind({ number: 1, user_id: 1, limit: 5 }));
    expect(JSON.stringify(plan)).toMatch(/SEARCH order USING (COVERING )?INDEX order_(number|user)/);
  }
  database.close();
});

test("of all orders, the queries for uncertain ones read only those", async () => {
  const file = join(mkdtempSync(join(tmpdir(), "atelier-open-")), "a.db");
  await Database.open({ file, role: "service" }).close();
  const database = new Sqlite(file);
  const params = { number: 1, order_id: "one", offset: 0, limit: 8 };
  for (const query of Object.values(UNCERTAIN_QUERIES)) {
    const { sql, bind } = query.compiled();
    const plan = JSON.stringify(database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...bind(params)));
    const scanned = [...plan.matchAll(/SCAN (\w+)(?: USING (?:COVERING )?INDEX (\w+))?/g)];
    for (const [, , index] of scanned) expect(index).toMatch(/^(order_uncertain|uncertain_record_news)$/);
  }
  database.close();
});
