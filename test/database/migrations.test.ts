import { mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { expect, test } from "vitest";
import { verifyLedger } from "../../src/accounts/ledger-store.js";
import { migrate } from "../../src/database/migrate.js";
import { MIGRATIONS } from "../../src/database/migrations/index.js";
import { openDatabase } from "../../src/restore-data.js";
import { openTestCore } from "../support/core.js";

const newDirectory = () => mkdtempSync(join(tmpdir(), "atelier-old-"));
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

test("migration files are numbered in the order of the index", () => {
  const files = readdirSync("src/database/migrations").filter((name) => /^\d/.test(name));
  const names = MIGRATIONS.map(({ name }, place) => `${String(place + 1).padStart(4, "0")}-${name}.ts`);
  expect(files.sort()).toEqual(names);
});

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
    const directory = newDirectory();
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
  const directory = newDirectory();
  const old = openFile(directory);
  migrate(old, MIGRATIONS.slice(0, 1), true);
  old.exec(`
    INSERT INTO account (id, name, balance, created_at) VALUES (1, 'Ann', 0, 0);
    INSERT INTO identity (kind, subject, account_id) VALUES ('telegram', '101', 1);
    INSERT INTO ledger_entry (account_id, kind, amount, balance_after, reason, actor, order_id, job_id, created_at)
      VALUES (1, 'credit', 12500, 12500, NULL, 'service', NULL, NULL, 0);
    DELETE FROM migration;
  `);
  const insert = old.prepare("INSERT INTO migration VALUES (?, ?, ?)");
  insert.run(1, "write-probe", "a");
  insert.run(replaces.number, "last", replaces.checksum);
  old.pragma(`user_version = ${replaces.number}`);
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

test("the main text of a draft becomes the parameter that its model and mode name", () => {
  const db = new Sqlite(":memory:");
  migrate(db, MIGRATIONS.slice(0, 1), true);
  const draft = db.prepare(
    `INSERT INTO draft (user_id, chat_id, state, view, type, model_key, parameters, prompt, revision, updated_at)
     VALUES (1, 1, 'ordered', 'card', ?, ?, ?, ?, 1, 0)`,
  );
  const rows = [
    ["image", "a", { count: 1 }, "a fox", { count: 1, prompt: "a fox" }],
    ["video", null, {}, 'a "wolf"', { prompt: 'a "wolf"' }],
    ["music", "m", { mode: "description" }, "a song", { mode: "description", description: "a song" }],
    ["music", "m", {}, "a song", { description: "a song" }],
    [
      "music",
      "m",
      { mode: "lyrics", description: "before" },
      "la",
      { mode: "lyrics", description: "before", lyrics: "la" },
    ],
    ["music", null, {}, "a song", { prompt: "a song" }],
    ["music", "m", { title: "Sea" }, null, { title: "Sea" }],
  ] as const;
  for (const [type, model, parameters, prompt] of rows)
    draft.run(type, model, JSON.stringify(parameters), prompt);
  migrate(db, MIGRATIONS, true);
  const stored = db.prepare<[], string>("SELECT parameters FROM draft ORDER BY id").pluck().all();
  expect(stored.map((parameters) => JSON.parse(parameters))).toEqual(rows.map((row) => row[4]));
  expect(db.pragma("table_info(draft)")).not.toContainEqual(expect.objectContaining({ name: "prompt" }));
  db.close();
});
