import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { describe, expect, onTestFinished, test } from "vitest";
import { Database, type Transaction, WriteQueue } from "../../src/database/database.js";
import { prepare, queryBuilder } from "../../src/database/prepared.js";
import { systemClock } from "../../src/platform/clock.js";
import { noFailPoint } from "../../src/platform/fail-point.js";
import { systemError } from "../support/fickle-disk.js";
import { createManualClock } from "../support/manual-clock.js";
import { newFolder } from "../support/new-folder.js";

interface Tables {
  note: { id: number; text: string };
  reply: { id: number; note_id: number };
}
const qb = queryBuilder<Tables>();
const insert = prepare<{ id: number; text: string }>((p) =>
  qb.insertInto("note").values({ id: p.id, text: p.text }),
);
const insertOrRollback = prepare<{ id: number; text: string }>((p) =>
  qb.insertInto("note").orRollback().values({ id: p.id, text: p.text }),
);
const insertReply = prepare<{ id: number; note_id: number }>((p) =>
  qb.insertInto("reply").values({ id: p.id, note_id: p.note_id }),
);
const all = prepare<object, { id: number; text: string }>(() =>
  qb.selectFrom("note").selectAll().orderBy("id"),
);
const migrations = [
  {
    name: "notes",
    sql: `
      CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;
      CREATE TABLE reply (
        id INTEGER PRIMARY KEY,
        note_id INTEGER NOT NULL REFERENCES note (id) DEFERRABLE INITIALLY DEFERRED
      ) STRICT;
    `,
  },
];

function open(failPoint?: (name: string) => void) {
  const file = join(newFolder(), "a.db");
  const options = { file, migrations, role: "service" as const };
  const database = Database.open(failPoint ? { ...options, failPoint } : options);
  onTestFinished(() => database.close());
  return { file, database };
}

/** Less than the 5 s that a write waits for a lock while the service runs. */
const GIVES_UP_EARLY = { timeout: 4500 };

describe("the write queue", () => {
  test("commits all writes of a tick at once and answers after the commit", async () => {
    const passed: string[] = [];
    const { database } = open((name) => passed.push(name));
    await Promise.all(
      [1, 2, 3].map((id) => database.write(`w${id}`, (tx) => tx.run(insert, { id, text: "x" }))),
    );
    expect(passed).toEqual(["commit:before:w1+w2+w3", "commit:after:w1+w2+w3"]);
    expect(database.all(all, {})).toHaveLength(3);
  });

  test("delays a lazy write to the next commit, commits it alone soon after, and at the end at once", async () => {
    const passed: string[] = [];
    const { database } = open((name) => passed.push(name));
    const text = "x";
    const kept = database.writeLazily("kept", (tx) => tx.run(insert, { id: 1, text }));
    await nextTurn();
    await nextTurn();
    expect(passed).toEqual([]);
    await database.write("next", (tx) => tx.run(insert, { id: 2, text }));
    await kept;
    await database.writeLazily("alone", (tx) => tx.run(insert, { id: 3, text }));
    void database.writeLazily("last", (tx) => tx.run(insert, { id: 4, text }));
    await database.close();
    expect(passed.filter((name) => name.startsWith("commit:after"))).toEqual(
      ["kept+next", "alone", "last"].map((labels) => `commit:after:${labels}`),
    );
  });

  test("rolls back only the write that threw", async () => {
    const { database } = open();
    const outcomes = await Promise.allSettled([
      database.write("good", (tx) => tx.run(insert, { id: 1, text: "kept" })),
      database.write("bad", (tx) => {
        tx.run(insert, { id: 2, text: "undone" });
        throw new Error("no");
      }),
      database.write("twice", (tx) => tx.run(insert, { id: 1, text: "clash" })),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected"]);
    expect(database.all(all, {})).toEqual([{ id: 1, text: "kept" }]);
  });

  test("rejects the whole batch with the reason when a write has rolled it all back, as a full disk may", async () => {
    const { database } = open();
    const outcomes = await Promise.allSettled([
      database.write("good", (tx) => tx.run(insert, { id: 1, text: "x" })),
      database.write("clash", (tx) => tx.run(insertOrRollback, { id: 1, text: "y" })),
    ]);
    const reason = expect.objectContaining({ code: "SQLITE_CONSTRAINT_PRIMARYKEY" });
    expect(outcomes).toEqual([1, 2].map(() => ({ status: "rejected", reason })));
    expect(database.all(all, {})).toEqual([]);
  });

  test("notifies its listeners of committed writes before their callers, and of nothing else", async () => {
    let isBroken = false;
    const { database } = open((name) => {
      if (isBroken && name.startsWith("commit:before")) throw new Error("disk");
    });
    const told: string[] = [];
    const write = (name: string, fails = false) =>
      database
        .write(name, (tx) => {
          tx.afterCommit(() => told.push(`${name} is on the disk`));
          if (fails) throw new Error("no");
        })
        .then(
          () => told.push(`${name} answered`),
          () => told.push(`${name} refused`),
        );
    await Promise.all([write("bad", true), write("good")]);
    expect(told).toEqual(["good is on the disk", "bad refused", "good answered"]);
    isBroken = true;
    await write("lost");
    isBroken = false;
    await write("next");
    expect(told.slice(3)).toEqual(["lost refused", "next is on the disk", "next answered"]);
  });

  test(
    "stops waiting within a second for a lock that another process holds once the service ends",
    GIVES_UP_EARLY,
    async () => {
      const { file, database } = open();
      const other = new Sqlite(file);
      other.exec("BEGIN IMMEDIATE");
      const write = database.write("late", (tx) => tx.run(insert, { id: 1, text: "x" }));
      database.shortenWaits();
      await expect(write).rejects.toMatchObject({ code: "SQLITE_BUSY" });
      // What comes next waits for the lock from anew.
      const next = database.write("next", (tx) => tx.run(insert, { id: 2, text: "x" }));
      await nextTurn();
      await nextTurn();
      other.exec("COMMIT");
      await next;
      other.close();
    },
  );
});

/** A queue whose next COMMIT fails before it has done anything, and the calls of `onUnknownOutcome`. */
function openWithFailingCommit(error: Error) {
  const { file, database } = open();
  const handle = new Sqlite(file);
  const prepareReal = handle.prepare.bind(handle);
  let isBroken = true;
  const run = () => {
    if (!isBroken) return handle.exec("COMMIT");
    isBroken = false;
    throw error;
  };
  Object.assign(handle, {
    prepare: (sql: string) =>
      sql === "COMMIT" ? Object.assign(prepareReal(sql), { run }) : prepareReal(sql),
  });
  const told: unknown[] = [];
  const queue = new WriteQueue(
    handle,
    noFailPoint,
    systemClock,
    () => {},
    () => {},
    (unknown) => told.push(unknown),
  );
  return { database, handle, queue, told };
}

describe("who watches a table", () => {
  test("is woken by commits that have written to it, and by no other", async () => {
    const { database } = open();
    const woken: string[] = [];
    const end = database.watch(["note" as never], () => woken.push("note"));
    database.watch(["reply" as never], () => woken.push("reply"));
    await database.write("w", (tx) => tx.run(insert, { id: 1, text: "x" }));
    expect(woken).toEqual(["note"]);
    await database.write("read", (tx) => tx.all(all, {}));
    await database.write("w", (tx) => tx.run(insertReply, { id: 1, note_id: 1 }));
    expect(woken).toEqual(["note", "reply"]);
    end();
    await database.write("w", (tx) => tx.run(insert, { id: 2, text: "x" }));
    expect(woken).toEqual(["note", "reply"]);
  });

  test("is woken within a second of a commit of another process", async () => {
    const clock = createManualClock();
    const file = join(newFolder(), "a.db");
    const database = Database.open({ file, migrations, role: "service", clock });
    const seen: number[] = [];
    const count = () => database.all(all, {}).length;
    const other = new Sqlite(file);
    // Right before the look, and after a read of the same turn.
    clock.after(6000, () => {
      count();
      other.exec("INSERT INTO note VALUES (1, 'x')");
    });
    database.watch(["note" as never], () => seen.push(count()));
    await clock.advance(5000);
    expect(seen).toEqual([]);
    await clock.advance(1000, async () => {});
    expect(seen).toEqual([1]);
    await clock.advance(5000);
    expect(seen).toEqual([1]);
    other.close();
  });
});

describe("a COMMIT that fails", () => {
  const insertOf = (id: number) => (tx: Transaction) => tx.run(insert, { id, text: "x" });

  test.each(["SQLITE_FULL", "SQLITE_BUSY", "SQLITE_BUSY_SNAPSHOT", "SQLITE_CONSTRAINT_FOREIGNKEY"])(
    "with %s is rolled back, its callers get the error, and the next write succeeds",
    async (code) => {
      const error = systemError(code);
      const { database, handle, queue, told } = openWithFailingCommit(error);
      const outcomes = await Promise.allSettled([queue.add("a", insertOf(1)), queue.add("b", insertOf(2))]);
      expect(outcomes).toEqual([1, 2].map(() => ({ status: "rejected", reason: error })));
      await queue.add("c", insertOf(3));
      expect(database.all(all, {}).map(({ id }) => id)).toEqual([3]);
      expect(told).toEqual([]);
      handle.close();
    },
  );

  test.each([
    systemError("SQLITE_IOERR_FSYNC"),
    systemError("SQLITE_IOERR_SHMSIZE"),
    systemError("SQLITE_NOMEM"),
    new Error("unheard of"),
  ])("with %s is reported once, no caller is answered, and nothing more is written", async (error) => {
    const { database, handle, queue, told } = openWithFailingCommit(error);
    let answered = 0;
    const add = (id: number) => {
      const answer = () => {
        answered += 1;
      };
      void queue.add("w", insertOf(id)).then(answer, answer);
    };
    add(1);
    add(2);
    await queue.drain();
    add(3);
    void queue.addLazily("w", insertOf(4));
    await queue.drain();
    await nextTurn();
    await nextTurn();
    expect([told, answered]).toEqual([[error], 0]);
    handle.close();
    expect(database.all(all, {})).toEqual([]);
  });

  test("because of a deferred constraint is definite", async () => {
    const { database } = open();
    const write = database.write("orphan", (tx) => tx.run(insertReply, { id: 1, note_id: 7 }));
    await expect(write).rejects.toMatchObject({ code: "SQLITE_CONSTRAINT_FOREIGNKEY" });
    await database.write("next", insertOf(1));
  });
});

/** Resolves behind what the event loop read, where commits are answered too. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
