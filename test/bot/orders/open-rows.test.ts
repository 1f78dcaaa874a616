import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { expect, test } from "vitest";
import { BOT_MIGRATIONS } from "../../../src/bot/bot.js";
import { OPEN_DELIVERY_QUERIES } from "../../../src/bot/orders/deliveries.js";
import { OPEN_ORDER_QUERIES } from "../../../src/bot/orders/orders.js";
import { Database } from "../../../src/database/database.js";

test("what is open is found by an index, however many orders have ended", async () => {
  const file = join(mkdtempSync(join(tmpdir(), "atelier-open-")), "a.db");
  await Database.open({ file, migrations: BOT_MIGRATIONS, role: "service" }).close();
  const database = new Sqlite(file);
  const params = { user_id: 1, chat_id: 1, draft_id: 1, now: 0 };
  for (const query of [...Object.values(OPEN_ORDER_QUERIES), ...Object.values(OPEN_DELIVERY_QUERIES)]) {
    const { sql, bind } = query.compiled();
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...bind(params));
    expect(JSON.stringify(plan)).toMatch(
      /SEARCH \w+ USING (COVERING )?INDEX (order_open|order_uncertain|delivery_open)/,
    );
    expect(JSON.stringify(plan)).not.toContain("SCAN");
  }
  database.close();
});
