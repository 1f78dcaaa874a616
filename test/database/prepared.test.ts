import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { Database } from "../../src/database/database.js";
import { prepare, queryBuilder } from "../../src/database/prepared.js";
import { newFolder } from "../support/new-folder.js";

const STEPS = [
  {
    name: "note",
    sql:
      "CREATE TABLE note (id INTEGER PRIMARY KEY, owner INTEGER, place INTEGER);\n" +
      "CREATE UNIQUE INDEX note_of_owner ON note (owner, place) WHERE owner IS NOT NULL;",
  },
];
const qb = queryBuilder<{ note: { id: number; owner: number; place: number } }>();
const insert = prepare<{ owner: number; place: number }>((p) =>
  qb.insertInto("note").values({ id: p.owner, owner: p.owner, place: p.place }),
);
const ofOwner = prepare<{ owner: number; limit: number }, { id: number }>((p) =>
  qb.selectFrom("note").selectAll().where("owner", "=", p.owner).orderBy("place").limit(p.limit),
);

afterEach(() => vi.restoreAllMocks());

test("SQLite compiles a statement once, whatever values it gets", async () => {
  const file = join(newFolder(), "a.db");
  const database = Database.open({ file, migrations: STEPS, role: "service" });
  for (const owner of [1, 2, 3]) await database.write("test", (tx) => tx.run(insert, { owner, place: 1 }));
  // The driver makes a new reader of rows when SQLite has compiled the statement again.
  const readersOfRows = vi.spyOn(globalThis, "Function");
  for (const owner of [1, 2, 3, 1])
    expect(database.all(ofOwner, { owner, limit: owner })).toEqual([{ id: owner, owner, place: 1 }]);
  expect(readersOfRows).toHaveBeenCalledTimes(1);
  await database.close();
});
