import Sqlite from "better-sqlite3";
import { expect, test } from "vitest";
import { migrate } from "../../../src/database/migrate.js";
import { MIGRATIONS } from "../../../src/database/schema.js";

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
