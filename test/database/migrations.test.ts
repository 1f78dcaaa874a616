import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { expect, test } from "vitest";
import { verifyLedger } from "../../src/accounts/ledger-store.js";
import { migrate } from "../../src/database/migrate.js";
import { MIGRATIONS } from "../../src/database/schema.js";
import { openDatabase } from "../../src/restore-data.js";
import { openTestCore } from "../support/core.js";
import { newFolder } from "../support/new-folder.js";
import { markReplaced } from "../support/replaced-schema.js";

const openFile = (directory: string) => new Sqlite(join(directory, "atelier.db"));

const { replaces } = MIGRATIONS[0] ?? {};
if (!replaces) throw new Error("the first migration is no baseline");

/** Everything that the file has, rows and schema. */
function contentOf(db: Sqlite.Database): string {
  const tables = db.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all();
  const rows = tables.map((name) => [name, db.prepare(`SELECT * FROM "${name}"`).all()]);
  const schema = db.prepare("SELECT type, name, sql FROM sqlite_schema").all();
  return JSON.stringify([db.pragma("user_version", { simple: true }), schema, rows]);
}

test.each([
  ["that recorded no steps", 24, ""],
  [
    "that stopped at an earlier step",
    46,
    "CREATE TABLE migration (number INTEGER PRIMARY KEY, name TEXT, checksum TEXT);" +
      "INSERT INTO migration VALUES (1, 'write-probe', 'a'), (46, 'order-progress', 'b')",
  ],
  [
    "whose last step was another",
    replaces.number,
    "CREATE TABLE migration (number INTEGER PRIMARY KEY, name TEXT, checksum TEXT);" +
      `INSERT INTO migration VALUES (1, 'write-probe', 'a'), (${replaces.number}, 'other', 'b')`,
  ],
])(
  "a database of before the baseline %s is refused by naming the commit that migrates it, and stays as it is",
  (_which, version, record) => {
    const directory = newFolder();
    const old = openFile(directory);
    old.exec(`CREATE TABLE account (id INTEGER); INSERT INTO account VALUES (7); ${record}`);
    old.pragma(`user_version = ${version}`);
    const before = contentOf(old);
    for (const role of ["service", "tool"] as const)
      expect(() => openDatabase({ dataDir: directory }, role)).toThrow(
        `the database has schema ${version} of before the baseline: start commit ${replaces.commit} once`,
      );
    expect(contentOf(old)).toBe(before);
    old.close();
  },
);

test("a database that ran every step of before the baseline goes on with its accounts and jobs", async () => {
  const directory = newFolder();
  const old = openFile(directory);
  migrate(old, MIGRATIONS.slice(0, 1), true);
  old.exec(`
    INSERT INTO account (id, name, balance, created_at) VALUES (1, 'Ann', 0, 0);
    INSERT INTO identity (kind, subject, account_id) VALUES ('telegram', '101', 1);
    INSERT INTO ledger_entry (account_id, kind, amount, balance_after, reason, actor, order_id, job_id, created_at)
      VALUES (1, 'credit', 12500, 12500, NULL, 'service', NULL, NULL, 0);
  `);
  markReplaced(old);
  expect(() => openDatabase({ dataDir: directory }, "tool")).toThrow("start the service once");

  const world = openTestCore({ directory });
  expect(await (await world.person(101)).balance()).toEqual({ currency: "RUB", amount: 125 });
  expect(verifyLedger(world.database)).toEqual({ accounts: 1, mismatches: 0 });
  await world.close();
  expect(old.prepare("SELECT name FROM migration ORDER BY number").pluck().all()).toEqual(
    MIGRATIONS.map(({ name }) => name),
  );
  old.close();
  await openDatabase({ dataDir: directory }, "tool").close();
});
