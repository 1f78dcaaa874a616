import Sqlite from "better-sqlite3";
import { expect, test } from "vitest";
import { migrate } from "../../../src/database/migrate.js";
import { MIGRATIONS } from "../../../src/database/schema.js";
import { YOOKASSA_PAYMENT_QUERIES } from "../../../src/tills/yookassa/yookassa-rows.js";

test.each(Object.entries(YOOKASSA_PAYMENT_QUERIES))("the statement %s reads by an index", (_name, query) => {
  const db = new Sqlite(":memory:");
  migrate(db, MIGRATIONS, true);
  const plan = db.prepare(`EXPLAIN QUERY PLAN ${query.compiled().sql.replaceAll("+?", "NULL")}`).all();
  db.close();
  expect(JSON.stringify(plan)).not.toMatch(
    /SCAN yookassa_\w+\b(?! USING COVERING INDEX yookassa_payment_due)/,
  );
});

test.each([
  "UPDATE yookassa_payment SET idempotence_key = 'b'",
  "UPDATE yookassa_payment SET kopecks = 1",
  "UPDATE yookassa_payment SET invoice_ref = 'b'",
])("the database refuses %s: a key belongs to one payment", (statement) => {
  const db = new Sqlite(":memory:");
  migrate(db, MIGRATIONS, true);
  db.exec(
    "INSERT INTO yookassa_payment (invoice_ref, kopecks, idempotence_key, state, made_at, due_at) VALUES ('a', 9, 'a', 'sending', 0, 0)",
  );
  expect(() => db.exec(statement)).toThrow(/a key belongs to one payment/);
  db.close();
});
