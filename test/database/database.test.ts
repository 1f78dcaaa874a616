import { statSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { expect, test } from "vitest";
import { Database, LOG_BYTES_MAX } from "../../src/database/database.js";
import { prepare, queryBuilder } from "../../src/database/prepared.js";
import { newFolder } from "../support/new-folder.js";

const STEPS = ["one", "two", "three"].map((name) => ({
  name,
  sql: `CREATE TABLE ${name} (id INTEGER PRIMARY KEY)`,
}));

const qb = queryBuilder<{ one: { id: number } }>();
const insert = prepare<{ id: number }>((p) => qb.insertInto("one").values({ id: p.id }));
const notes = queryBuilder<{ note: { id: number; text: string } }>();
const insertNote = prepare<{ id: number; text: string }>((p) =>
  notes.insertInto("note").values({ id: p.id, text: p.text }),
);
const all = prepare<object, { id: number }>(() => qb.selectFrom("one").selectAll());

/** Opens a database for a program that knows so many steps of the schema. */
function open(directory: string, known: number, role: "service" | "tool" = "service"): Database {
  return Database.open({ file: join(directory, "a.db"), migrations: STEPS.slice(0, known), role });
}

test("a program that is older than the database leaves it unchanged", async () => {
  const directory = newFolder();
  await open(directory, 2).close();
  for (const role of ["service", "tool"] as const)
    expect(() => open(directory, 1, role)).toThrow("start the newer program");
});

test("a tool creates a missing database, and never migrates one that a service may be using", async () => {
  const directory = newFolder();
  await open(directory, 1, "tool").close();
  expect(() => open(directory, 2, "tool")).toThrow("start the service once");
  await open(directory, 2).close();
  await open(directory, 2, "tool").close();
});

test("all reads of a turn see one state, and those after a commit what it wrote", async () => {
  const directory = newFolder();
  const database = open(directory, 1);
  const other = new Sqlite(join(directory, "a.db"));
  const rows = () => database.all(all, {}).map(({ id }) => id);
  expect(rows()).toEqual([]);
  other.exec("INSERT INTO one VALUES (1)");
  expect(rows()).toEqual([]);
  await new Promise(setImmediate);
  expect(rows()).toEqual([1]);
  await database.write("test", (tx) => {
    rows();
    tx.run(insert, { id: 2 });
  });
  expect(rows()).toEqual([1, 2]);
  // What was read in this turn keeps nothing in the log.
  expect(database.emptyLog()).toBe(true);
  other.close();
  await database.close();
});

// Without a close, the write waits 5 s for the lock.
test("closing ends soon although another process holds the lock", { timeout: 4500 }, async () => {
  const directory = newFolder();
  const database = open(directory, 1);
  const other = new Sqlite(join(directory, "a.db"));
  other.exec("BEGIN IMMEDIATE");
  const refused = expect(database.write("late", () => {})).rejects.toMatchObject({ code: "SQLITE_BUSY" });
  await database.close();
  await refused;
  other.close();
});

test("the write-ahead log shrinks after a long read made it grow", async () => {
  const directory = newFolder();
  const file = join(directory, "a.db");
  const sql = "CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT NOT NULL)";
  const database = Database.open({ file, migrations: [{ name: "notes", sql }], role: "service" });
  const logBytes = () => statSync(`${file}-wal`).size;
  const text = "x".repeat(1024 * 1024);
  const write = (id: number) => database.write("note", (tx) => tx.run(insertNote, { id, text }));
  await write(0);
  const reader = new Sqlite(file, { readonly: true });
  reader.exec("BEGIN");
  reader.prepare("SELECT count(*) FROM note").get();
  for (let id = 1; id <= 40; id += 1) await write(id);
  expect(logBytes()).toBeGreaterThan(2 * LOG_BYTES_MAX);
  reader.exec("COMMIT");
  // The first of these copies the whole log into the database, the second begins it anew.
  await write(41);
  await write(42);
  expect(logBytes()).toBeLessThanOrEqual(LOG_BYTES_MAX);
  reader.close();
  await database.close();
});

test("a migration that differs from the one the database ran leaves the database unchanged", async () => {
  const directory = newFolder();
  await open(directory, 2).close();
  const [one] = STEPS as [(typeof STEPS)[0]];
  const file = join(directory, "a.db");
  const other = (name: string) => [one, { name, sql: "CREATE TABLE other (id INTEGER)" }];
  for (const role of ["service", "tool"] as const) {
    const openWith = (name: string) => () => Database.open({ file, migrations: other(name), role });
    expect(openWith("two")).toThrow('step 2 of the database\'s schema was another "two"');
    expect(openWith("second")).toThrow('step 2 of the database\'s schema was "two", not "second"');
  }
  await open(directory, 3).close();
});

test("a migration may rebuild a referenced table and breaks no reference", async () => {
  const directory = newFolder();
  const file = join(directory, "a.db");
  const base = {
    name: "base",
    sql: "CREATE TABLE a (id INTEGER PRIMARY KEY); CREATE TABLE b (a REFERENCES a)",
  };
  const row = { name: "row", sql: "INSERT INTO a VALUES (1); INSERT INTO b VALUES (1)" };
  const rebuild = (rows: string) => ({
    name: "rebuild",
    sql: `DROP TABLE a; CREATE TABLE a (id INTEGER PRIMARY KEY) STRICT; ${rows}`,
  });
  const openWith = (last: ReturnType<typeof rebuild>) =>
    Database.open({ file, migrations: [base, row, last], role: "service" });
  expect(() => openWith(rebuild(""))).toThrow("would break a reference of the table b");
  await openWith(rebuild("INSERT INTO a VALUES (1)")).close();
});
