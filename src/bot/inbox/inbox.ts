import type { Update } from "grammy/types";
import { z } from "zod";
import type { Database } from "../../database/database.js";
import type { Migration } from "../../database/migrations.js";
import { prepare, queryBuilder } from "../../database/prepared.js";
import type { Clock } from "../../platform/clock.js";

/** How long the id of a handled update is remembered, in ms: Telegram restarts ids after an idle week. */
const REMEMBERED_MS = 7 * 24 * 3600 * 1000;
/** An update that was begun this often without an end most likely ends the process: it is given up. */
const MOST_TRIES = 3;

interface InboxRow {
  update_id: number;
  received_at: number;
  tries: number;
  /** The update as JSON; null once it has been handled. */
  payload: string | null;
}

export const INBOX_MIGRATION: Migration = {
  name: "inbox",
  sql: `
    CREATE TABLE inbox (
      update_id INTEGER PRIMARY KEY,
      received_at INTEGER NOT NULL,
      tries INTEGER NOT NULL DEFAULT 0,
      payload TEXT
    ) STRICT;
    CREATE INDEX inbox_pending ON inbox (update_id) WHERE payload IS NOT NULL;
    CREATE INDEX inbox_by_age ON inbox (received_at);
  `,
};

const storedUpdate = z.looseObject({ update_id: z.number().int() });

const qb = queryBuilder<{ inbox: InboxRow }>();
const insert = prepare<{ update_id: number; received_at: number; payload: string }>((p) =>
  qb
    .insertInto("inbox")
    .values({ update_id: p.update_id, received_at: p.received_at, tries: 0, payload: p.payload })
    .onConflict((conflict) => conflict.column("update_id").doNothing()),
);
const pending = prepare<object, { update_id: number; payload: string | null }>(() =>
  qb
    .selectFrom("inbox")
    .select(["update_id", "payload"])
    .where("payload", "is not", null)
    .orderBy("received_at")
    .orderBy("update_id"),
);
const countTries = prepare<object>(() =>
  qb
    .updateTable("inbox")
    .set((eb) => ({ tries: eb("tries", "+", 1) }))
    .where("payload", "is not", null),
);
const giveUp = prepare<object, { update_id: number }>(() =>
  qb
    .updateTable("inbox")
    .set({ payload: null })
    .where("payload", "is not", null)
    .where("tries", ">=", MOST_TRIES)
    .returning("update_id"),
);
const finish = prepare<{ update_id: number }>((p) =>
  qb.updateTable("inbox").set({ payload: null }).where("update_id", "=", p.update_id),
);
const forget = prepare<{ before: number }>((p) =>
  qb.deleteFrom("inbox").where("received_at", "<", p.before).where("payload", "is", null),
);

/** Updates, committed before anybody handles them, so that a crash loses none and repeats none. */
export class Inbox {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** Commits a batch. Answers with those that had not come before. */
  receive(updates: readonly Update[]): Promise<Update[]> {
    const received_at = this.#clock.now();
    return this.#database.write("inbox", (tx) =>
      updates.filter(
        (update) =>
          tx.run(insert, { update_id: update.update_id, received_at, payload: JSON.stringify(update) }) === 1,
      ),
    );
  }

  /**
   * The updates that were not finished when the process ended. Those that were begun too often are dropped.
   */
  recover(): Promise<{ updates: Update[]; dropped: number[] }> {
    return this.#database.write("inbox-recover", (tx) => {
      const dropped = tx.all(giveUp, {}).map(({ update_id }) => update_id);
      tx.run(countTries, {});
      const updates = tx
        .all(pending, {})
        .map(({ payload }) => storedUpdate.parse(JSON.parse(payload ?? "null")) as Update);
      return { updates, dropped };
    });
  }

  /** Marks an update as handled and drops its payload; the id stays for a week. */
  async finish(updateId: number): Promise<void> {
    await this.#database.write("inbox-done", (tx) => tx.run(finish, { update_id: updateId }));
  }

  /** Forgets ids older than a week. */
  async sweep(): Promise<void> {
    const before = this.#clock.now() - REMEMBERED_MS;
    await this.#database.write("inbox-sweep", (tx) => tx.run(forget, { before }));
  }
}
