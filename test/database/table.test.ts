import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Database } from "../../src/database/database.js";
import { not, table } from "../../src/database/table.js";
import { newFolder } from "../support/new-folder.js";

interface NoteRow {
  id: number;
  owner: number | null;
  text: string;
}

declare module "../../src/database/prepared.js" {
  interface Schema {
    note: NoteRow;
  }
}

const notes = table("note");
const [first, second, third]: [NoteRow, NoteRow, NoteRow] = [
  { id: 1, owner: 7, text: "a" },
  { id: 2, owner: 7, text: "b" },
  { id: 3, owner: null, text: "c" },
];

async function openNotes(): Promise<Database> {
  const file = join(newFolder(), "a.db");
  const sql = "CREATE TABLE note (id INTEGER PRIMARY KEY, owner INTEGER, text TEXT NOT NULL UNIQUE) STRICT;";
  const database = Database.open({ file, migrations: [{ name: "note", sql }], role: "service" });
  onTestFinished(() => database.close());
  await database.write("test", (tx) => {
    for (const row of [first, second, third]) expect(notes.insert(tx, row)).toBe(row.id);
  });
  return database;
}

test("rows are found by equality, NULL included, in the order and number that is asked for", async () => {
  const database = await openNotes();
  expect(notes.get(database, { id: 2 })).toEqual(second);
  expect(notes.get(database, { id: 2, owner: null })).toBeUndefined();
  expect(notes.all(database, { owner: 7 }, { orderBy: ["id desc"] })).toEqual([second, first]);
  expect(notes.all(database, { owner: null })).toEqual([third]);
  expect(notes.all(database, {}, { orderBy: ["id"], limit: 2 })).toEqual([first, second]);
  expect(notes.all(database, { owner: not(null), text: not("a") })).toEqual([second]);
  expect([notes.count(database, {}), notes.count(database, { owner: not(7) })]).toEqual([3, 0]);
});

test("a change keeps to the rows that are named, also where it changes the column that names them", async () => {
  const database = await openNotes();
  const changed = await database.write("test", (tx) => [
    notes.update(tx, { owner: 7 }, { owner: null }),
    notes.update(tx, { id: 1 }, { owner: 8, text: "d" }),
    notes.delete(tx, { text: "c" }),
    notes.delete(tx, { text: "c" }),
  ]);
  expect(changed).toEqual([2, 1, 1, 0]);
  expect(notes.all(database, {})).toEqual([
    { id: 1, owner: 8, text: "d" },
    { ...second, owner: null },
  ]);
});

test("a row whose key is taken is inserted once, and refused where that is not asked for", async () => {
  const database = await openNotes();
  const row = { id: 4, owner: null, text: "a" };
  expect(await database.write("test", (tx) => notes.insertOnce(tx, row))).toBe(false);
  expect(await database.write("test", (tx) => notes.insertOnce(tx, { ...row, text: "e" }))).toBe(true);
  await expect(database.write("test", (tx) => notes.insert(tx, { ...row, id: 5 }))).rejects.toThrow(/UNIQUE/);
});
