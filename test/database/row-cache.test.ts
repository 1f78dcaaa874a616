import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Database } from "../../src/database/database.js";
import { prepare, queryBuilder } from "../../src/database/prepared.js";
import { RowCache } from "../../src/database/row-cache.js";

interface Note {
  id: number;
  text: string;
}

const qb = queryBuilder<{ note: Note }>();
const textOf = prepare<{ id: number }, { text: string }>((p) =>
  qb.selectFrom("note").select("text").where("id", "=", p.id),
);
const update = prepare<Note>((p) => qb.updateTable("note").set({ text: p.text }).where("id", "=", p.id));

let file: string;
let database: Database;
let reads: number;
let isBroken = false;
beforeEach(() => {
  file = join(mkdtempSync(join(tmpdir(), "atelier-cache-")), "a.db");
  const sql =
    "CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT NOT NULL); INSERT INTO note VALUES (1, 'a'), (2, 'b'), (3, 'c')";
  database = Database.open({
    file,
    migrations: [{ name: "notes", sql }],
    role: "service",
    boundary: (name) => {
      if (isBroken && name.startsWith("commit:after")) throw new Error("fsync");
    },
  });
  isBroken = false;
  reads = 0;
});
afterEach(() => database.close());

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

function look(cache: RowCache<number, string>, id: number): string | undefined {
  const known = cache.get(id);
  if (known !== undefined) return known;
  reads += 1;
  const text = database.first(textOf, { id })?.text;
  if (text !== undefined) cache.set(id, text);
  return text;
}

test("a row is read once while nothing changes it", () => {
  const cache = new RowCache<number, string>({ database, max: 10, staleAfter: ["change"] });
  expect([look(cache, 1), look(cache, 1), look(cache, 2)]).toEqual(["a", "a", "b"]);
  expect(reads).toBe(2);
});

test("what another process has committed is seen from the next turn of the event loop on", async () => {
  const cache = new RowCache<number, string>({ database, max: 10, staleAfter: ["change"] });
  look(cache, 1);
  const other = new Sqlite(file);
  other.exec("UPDATE note SET text = 'changed' WHERE id = 1");
  other.close();
  await nextTurn();
  expect(look(cache, 1)).toBe("changed");
});

test("what this process has committed is seen by whoever waited for it, in every cache", async () => {
  const options = { database, max: 10, staleAfter: ["change"] };
  const caches = [1, 2].map(() => new RowCache<number, string>(options));
  for (const cache of caches) look(cache, 1);
  await database.write("change", (tx) => tx.run(update, { id: 1, text: "own" }));
  for (const cache of caches) expect(look(cache, 1)).toBe("own");
});

test("what a commit wrote that was reported as failed is seen when it reached the disk", async () => {
  const cache = new RowCache<number, string>({ database, max: 10, staleAfter: ["change"] });
  look(cache, 1);
  isBroken = true;
  const write = database.write("change", (tx) => tx.run(update, { id: 1, text: "own" }));
  await expect(write).rejects.toThrow("fsync");
  expect(look(cache, 1)).toBe("own");
});

test("no more values are kept than it may hold, the oldest go first", () => {
  const cache = new RowCache<number, string>({ database, max: 2, staleAfter: [] });
  for (const id of [1, 2, 3]) look(cache, id);
  reads = 0;
  for (const id of [3, 2]) look(cache, id);
  expect(reads).toBe(0);
  look(cache, 1);
  expect(reads).toBe(1);
});
