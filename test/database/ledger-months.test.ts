import Sqlite from "better-sqlite3";
import { expect, test } from "vitest";
import { migrate } from "../../src/database/migrate.js";
import { MIGRATIONS } from "../../src/database/schema.js";

test("entries of the ledger are summed by account, month and kind", () => {
  const db = new Sqlite(":memory:");
  migrate(db, MIGRATIONS, true);
  const [october, november] = [Date.UTC(2026, 9, 31, 23, 59), Date.UTC(2026, 10, 1)];
  db.exec("INSERT INTO account (name, created_at) VALUES ('Ann', 0), ('Boris', 0)");
  const insert = (account: number, kind: string, amount: number, after: number, at: number) =>
    db
      .prepare(
        `INSERT INTO ledger_entry (account_id, kind, amount, balance_after, actor, created_at)
         VALUES (?, ?, ?, ?, 'x', ?)`,
      )
      .run(account, kind, amount, after, at);
  insert(1, "credit", 500, 500, october);
  insert(1, "charge", -100, 400, october);
  insert(1, "charge", -50, 350, november);
  insert(1, "charge", -25, 325, november);
  insert(2, "credit", 7, 7, november);
  expect(db.prepare("SELECT * FROM ledger_month").raw().all()).toEqual([
    [1, "2026-10", "charge", -100],
    [1, "2026-10", "credit", 500],
    [1, "2026-11", "charge", -75],
    [2, "2026-11", "credit", 7],
  ]);
  db.close();
});
