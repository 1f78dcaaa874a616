import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { expect, test } from "vitest";
import { openDatabase } from "../../src/app.js";
import { isOrderOpen } from "../../src/bot/orders/store/order-table.js";
import { verifyLedger } from "../../src/core/ledger/ledger-store.js";
import { migrate } from "../../src/database/migrate.js";
import { MIGRATIONS } from "../../src/database/migrations/index.js";
import { openTestCore } from "../support/core.js";
import { openOrderStore } from "../support/direct-order.js";
import { stepsBefore } from "../support/migrations.js";

const NOW = Date.UTC(2026, 0, 1);
/** A database that the program with 24 steps left behind, with rows in every table. */
const SCHEMA_24 = readFileSync(join(import.meta.dirname, "fixtures/schema-24.sql"), "utf8");

const newDirectory = () => mkdtempSync(join(tmpdir(), "atelier-old-"));
const openFile = (directory: string) => new Sqlite(join(directory, "atelier.db"));

/** Whatever tables, indexes and triggers hold. The runner's own table is apart. */
function schemaOf(db: Sqlite.Database): unknown[] {
  return db
    .prepare(
      `SELECT type, name, sql FROM sqlite_schema
       WHERE name <> 'migration' AND sql IS NOT NULL ORDER BY type, name`,
    )
    .all();
}

function rowsOf(db: Sqlite.Database): Record<string, Record<string, unknown>[]> {
  const tables = db
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'migration'")
    .pluck()
    .all();
  return Object.fromEntries(
    tables.map((name) => [
      name,
      db.prepare<[], Record<string, unknown>>(`SELECT * FROM "${name}" ORDER BY 1, 2`).all(),
    ]),
  );
}

test("migration files are numbered in the order of the index", () => {
  const files = readdirSync("src/database/migrations").filter((name) => name !== "index.ts");
  const names = MIGRATIONS.map(({ name }, place) => `${String(place + 1).padStart(4, "0")}-${name}.ts`);
  expect(files.sort()).toEqual(names);
});

test("released migrations produce the same schema as when they were released", () => {
  const released = new Sqlite(":memory:");
  released.exec(SCHEMA_24);
  const made = new Sqlite(":memory:");
  migrate(made, MIGRATIONS.slice(0, 24), true);
  expect(schemaOf(made)).toEqual(schemaOf(released));
});

test("a database of an earlier release keeps every row and gets the current schema", async () => {
  const directory = newDirectory();
  const old = openFile(directory);
  old.exec(SCHEMA_24);
  const before = rowsOf(old);
  for (const rows of Object.values(before)) expect(rows).not.toEqual([]);
  old.close();

  const database = openDatabase({ dataDir: directory }, "service");
  expect(verifyLedger(database)).toEqual({ accounts: 4, mismatches: 0 });
  await database.close();
  const migrated = openFile(directory);
  const { account = [], retention_clock = [], draft = [], ...unchanged } = before;
  const { account: accounts, identity, ...rows } = rowsOf(migrated);
  for (const [table, kept] of Object.entries(unchanged)) expect(rows[table]).toMatchObject(kept);
  const clocks = retention_clock.flatMap(({ id, ...row }) => [
    { ...row, name: "keys" },
    { ...row, name: "media" },
  ]);
  expect(rows.trusted_clock).toEqual(clocks);
  const withText = draft.map(({ prompt, ...row }) => ({
    ...row,
    parameters: { ...JSON.parse(String(row.parameters)), ...(prompt === null ? {} : { prompt }) },
  }));
  expect(
    rows.draft?.map((row) => ({ ...row, parameters: JSON.parse(String(row.parameters)) })),
  ).toMatchObject(withText);
  expect(accounts).toMatchObject(account.map(({ telegram_id, ...row }) => row));
  expect(identity).toEqual(
    account
      .filter(({ telegram_id }) => telegram_id !== null)
      .map(({ id, telegram_id }) => ({ kind: "telegram", subject: String(telegram_id), account_id: id }))
      .sort((one, other) => one.subject.localeCompare(other.subject)),
  );
  expect(identity).toHaveLength(3);
  const fresh = new Sqlite(":memory:");
  migrate(fresh, MIGRATIONS, true);
  expect(schemaOf(migrated)).toEqual(schemaOf(fresh));
  migrated.close();
});

test("a service continues with the accounts and jobs of an earlier release", async () => {
  const directory = newDirectory();
  const old = openFile(directory);
  old.exec(SCHEMA_24);
  old.close();
  const world = openTestCore({ directory });
  const ann = await world.person(101);
  expect(await ann.balance()).toEqual({ currency: "RUB", amount: 125 });
  await world.core.start();
  expect(await world.ended(ann, 5)).toMatchObject({ status: "done" });
  const boris = await world.person(102, 10_00);
  expect(await boris.balance()).toMatchObject({ amount: 75 });
  expect(world.adminService.accounts()).toHaveLength(4);
  await world.person(999);
  expect(world.adminService.accounts().map(({ id }) => id)).toEqual([1, 2, 3, 4, 5]);
  await world.close();
});

test("migrating an older database holds open results, offers expired ones and keeps statuses", async () => {
  const dataDir = newDirectory();
  const old = openFile(dataDir);
  migrate(old, stepsBefore("idempotency-keys"), true);
  const request = `'{"type":"image","model_key":"a","prompt":"b"}'`;
  for (const [id, state, delivery] of [
    ["open", "delivering", "parked"],
    ["over", "closed", "expired"],
    ["sent", "closed", "sent"],
  ]) {
    old.exec(
      `INSERT INTO "order" VALUES ('${id}', 1, 7, 'Ann', 7, NULL, NULL, 'A', ${request}, 1000, '${state}', '[1]', ${NOW})`,
    );
    old.exec(
      `INSERT INTO delivery VALUES ('${id}', 7, 7, '${delivery}', 0, ${NOW}, NULL, '[]', '[]', ${NOW}, NULL)`,
    );
  }
  old.exec(`INSERT INTO account (id, name, balance, created_at) VALUES (1, 'Ann', 0, ${NOW})`);
  old.exec(
    `INSERT INTO media_file (name, account_id, role, position, mime, size, created_at)
     VALUES ('a.webp', 1, 'reference', 0, 'image/webp', 1, ${NOW})`,
  );
  // The status messages of two orders do not say yet that they have ended.
  old.exec("INSERT INTO last_words VALUES ('over', 0), ('sent', 1)");
  old.exec("DROP TABLE migration");
  old.close();

  const database = openDatabase({ dataDir }, "service");
  expect(["open", "over", "sent"].filter((id) => isOrderOpen(database, id))).toEqual(["open"]);
  expect(openOrderStore(database).dueOffers(7)).toEqual(["over"]);
  expect(openOrderStore(database).pendingFinalStatuses()).toEqual([
    { orderId: "over", isDone: false },
    { orderId: "sent", isDone: true },
  ]);
  await database.close();
  const migrated = openFile(dataDir);
  const clock = { trusted_at: NOW, seen_at: NOW, doubted_since: null };
  expect(migrated.prepare("SELECT * FROM trusted_clock").all()).toEqual([
    { name: "keys", ...clock },
    { name: "media", ...clock },
  ]);
  migrated.close();
});

test("orders that were uncertain get numbers, the oldest first, and jobs of earlier orders stay theirs", async () => {
  const dataDir = newDirectory();
  const old = openFile(dataDir);
  migrate(old, stepsBefore("uncertain-records"), true);
  const request = `'{"type":"image","model_key":"a","prompt":"b"}'`;
  for (const [id, state, jobs, at] of [
    ["newer", "uncertain", "[]", NOW],
    ["older", "uncertain", "[]", NOW - 1],
    ["done", "closed", '[1,"music_2"]', NOW],
  ])
    old.exec(
      `INSERT INTO "order" VALUES ('${id}', 1, 7, 'Ann', 7, NULL, NULL, 'A', ${request}, 1000, '${state}', '${jobs}', ${at})`,
    );
  old.close();
  const database = openDatabase({ dataDir }, "service");
  const { uncertain } = openOrderStore(database);
  expect(uncertain.open(0, 10).map(({ number, order }) => [number, order.id])).toEqual([
    [2, "newer"],
    [1, "older"],
  ]);
  // Their people were told when it happened.
  expect(uncertain.withNews()).toEqual([]);
  const older = uncertain.find(1)?.order;
  if (!older) throw new Error("no record");
  expect(await uncertain.settleCharged(older, [7, 1])).toEqual({ kind: "taken", jobId: 1 });
  expect(await uncertain.settleCharged(older, ["music_2"])).toEqual({ kind: "taken", jobId: "music_2" });
  expect(await uncertain.settleCharged(older, [7])).toMatchObject({ kind: "settled" });
  await database.close();
});

test("jobs whose files were lost before an upgrade are known as paid back, and their files stay as they are", async () => {
  const dataDir = newDirectory();
  const old = openFile(dataDir);
  migrate(old, stepsBefore("originals"), true);
  old.exec(`INSERT INTO account (id, name, balance, created_at) VALUES (1, 'Ann', 0, ${NOW})`);
  const entry = old.prepare(`INSERT INTO ledger_entry (account_id, kind, amount, balance_after, reason, actor,
    order_id, job_id, created_at) VALUES (1, ?, ?, ?, ?, 'service', ?, ?, ${NOW})`);
  const job =
    old.prepare(`INSERT INTO job (id, account_id, origin, order_id, order_index, type, model_key, model,
    model_title, request, seed, cost, status, is_refunded, attempts, created_at, started_at, finished_at)
    VALUES (?, 1, 'bot', ?, ?, 'image', 'fox', 'm', 't', '{}', 0, 100, 'done', 0, 1, 0, 0, 0)`);
  const file = old.prepare(`INSERT INTO media_file (name, account_id, job_id, role, position, mime, size,
    created_at, removed_at) VALUES (?, 1, ?, 'result', 0, 'image/webp', 1, 0, ?)`);
  entry.run("credit", 1000, 1000, null, null, null);
  entry.run("refund", 100, 1100, "lost", "one", 1);
  entry.run("refund", 200, 1300, "lost", "many", null);
  // Of the order "many", the third was sent, and the fourth expired long after.
  for (const [id, order, index, removedAt] of [
    [1, "one", 0, NOW],
    [2, "many", 0, NOW],
    [3, "many", 1, NOW - 5],
    [4, "many", 2, null],
    [5, "many", 3, NOW + 5],
    [6, "sent", 0, NOW],
  ]) {
    job.run(id, order, index);
    file.run(`${id}.webp`, id, removedAt);
  }
  const files = old.prepare("SELECT * FROM media_file ORDER BY id").all();
  old.close();
  await openDatabase({ dataDir }, "service").close();
  const migrated = openFile(dataDir);
  expect(migrated.prepare("SELECT id, paid_back_at FROM job WHERE paid_back_at IS NOT NULL").all()).toEqual([
    { id: 1, paid_back_at: NOW },
    { id: 2, paid_back_at: NOW },
    { id: 3, paid_back_at: NOW },
  ]);
  expect(migrated.prepare("SELECT * FROM media_file ORDER BY id").all()).toEqual(files);
  migrated.close();
});

test("open jobs of a service elsewhere are named by the account that their order was sent with", () => {
  const db = new Sqlite(":memory:");
  migrate(db, stepsBefore("remote-job-keys"), true);
  const request = `'{"type":"image","model_key":"a","prompt":"b"}'`;
  db.exec(
    `INSERT INTO "order" VALUES ('own', 1, 7, 'Ann', 7, NULL, NULL, 'A', ${request}, 1000, 'accepted', '[1]', ${NOW})`,
  );
  db.exec("INSERT INTO order_job VALUES ('1', 'own')");
  db.exec("INSERT INTO remote_submission (order_id, sent_at, account_id) VALUES ('own', 0, 5)");
  db.exec("INSERT INTO remote_job (id, since, due_at) VALUES ('1', 0, 0), ('music_2', 0, NULL)");
  migrate(db, MIGRATIONS, true);
  expect(db.prepare("SELECT id FROM remote_job ORDER BY id").pluck().all()).toEqual(["0:music_2", "5:1"]);
  db.close();
});

test("the main text of a draft becomes the parameter that its model and mode name", () => {
  const db = new Sqlite(":memory:");
  migrate(db, stepsBefore("main-text"), true);
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
