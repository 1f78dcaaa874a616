import type { Update } from "grammy/types";
import { sql } from "kysely";
import { z } from "zod";
import type { Database } from "../../database/database.js";
import type { Migration } from "../../database/migrations.js";
import { prepare, queryBuilder } from "../../database/prepared.js";
import type { Clock } from "../../platform/clock.js";

/** How long the id of a handled update is remembered, in ms: Telegram restarts ids after an idle week. */
const REMEMBERED_MS = 7 * 24 * 3600 * 1000;
/** An update that was begun this often without an end most likely ends the process: it is given up. */
const MOST_TRIES = 3;
/** From this many tries on an update is taken up alone. */
const SUSPECT_TRIES = 2;

interface InboxRow {
  update_id: number;
  received_at: number;
}

/** The part of an update that is kept only until it has been handled. */
interface PendingRow {
  update_id: number;
  tries: number;
  /** The update as JSON. */
  payload: string;
}

export const INBOX_MIGRATION: Migration = {
  name: "inbox",
  sql: `
    CREATE TABLE inbox (update_id INTEGER PRIMARY KEY, received_at INTEGER NOT NULL) STRICT;
    CREATE INDEX inbox_by_age ON inbox (received_at);
    -- Apart from the ids, so that its pages are free again as soon as updates are handled.
    CREATE TABLE inbox_pending (
      update_id INTEGER PRIMARY KEY,
      tries INTEGER NOT NULL DEFAULT 0,
      payload TEXT NOT NULL
    ) STRICT;
  `,
};

const storedUpdate = z.looseObject({ update_id: z.number().int() });

const qb = queryBuilder<{ inbox: InboxRow; inbox_pending: PendingRow }>();
const remember = prepare<InboxRow>((p) =>
  qb
    .insertInto("inbox")
    .values({ update_id: p.update_id, received_at: p.received_at })
    .onConflict((conflict) => conflict.column("update_id").doNothing()),
);
const insertPending = prepare<{ update_id: number; payload: string }>((p) =>
  qb.insertInto("inbox_pending").values({ update_id: p.update_id, tries: 0, payload: p.payload }),
);
const pending = prepare<object, PendingRow>(() =>
  qb
    .selectFrom("inbox_pending")
    .innerJoin("inbox", "inbox.update_id", "inbox_pending.update_id")
    .select(["payload", "tries", "inbox.update_id"])
    .orderBy("received_at")
    .orderBy("inbox.update_id"),
);
const countTry = prepare<{ update_id: number }>((p) =>
  qb
    .updateTable("inbox_pending")
    .set((eb) => ({ tries: eb("tries", "+", 1) }))
    .where("update_id", "=", p.update_id),
);
/** @param ids a JSON array */
const finish = prepare<{ ids: string }>((p) =>
  qb
    .deleteFrom("inbox_pending")
    .where("update_id", "in", sql<number>`(SELECT value FROM json_each(${p.ids}))`),
);
const forget = prepare<{ before: number }>((p) =>
  qb
    .deleteFrom("inbox")
    .where("received_at", "<", p.before)
    .where("update_id", "not in", qb.selectFrom("inbox_pending").select("update_id")),
);

function updateOf({ payload }: PendingRow): Update {
  return storedUpdate.parse(JSON.parse(payload)) as Update;
}

/**
 * The part of an update that handling it needs: a tap carries its whole message, four fifths of its size, of
 * which only the place counts.
 */
function kept(update: Update): Update {
  const { callback_query: tap } = update;
  const message = tap?.message;
  if (!message || message.date === 0 || !("reply_markup" in message)) return update;
  const { text: _text, entities: _entities, reply_markup: _buttons, ...place } = message;
  return { ...update, callback_query: { ...tap, message: place } as typeof tap };
}

/** Updates that the next commit marks as handled. */
interface FinishedUpdates {
  ids: number[];
  written: Promise<void>;
}

/** Updates, committed before anybody handles them, so that a crash loses none and repeats none. */
export class Inbox {
  readonly #database: Database;
  readonly #clock: Clock;
  #finished: FinishedUpdates | undefined;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** Commits a batch. Answers with those that had not come before, as they would come back after a crash. */
  receive(updates: readonly Update[]): Promise<Update[]> {
    const received_at = this.#clock.now();
    return this.#database.write("inbox", (tx) =>
      updates.map(kept).filter((update) => {
        const { update_id } = update;
        if (tx.run(remember, { update_id, received_at }) === 0) return false;
        tx.run(insertPending, { update_id, payload: JSON.stringify(update) });
        return true;
      }),
    );
  }

  /**
   * Updates that were not finished when the process ended, oldest first; nothing when all have been handed on.
   * Those that were taken up twice before without an end come one by one, so that one that ends the process
   * takes no others with it; after three times it is dropped.
   * @param handedOn ids that this process has been given already
   */
  recover(handedOn: ReadonlySet<number>): Promise<{ updates: Update[]; dropped: number[] }> {
    return this.#database.write("inbox-recover", (tx) => {
      const open = tx.all(pending, {}).filter(({ update_id }) => !handedOn.has(update_id));
      const dropped = open.filter(({ tries }) => tries >= MOST_TRIES).map(({ update_id }) => update_id);
      tx.run(finish, { ids: JSON.stringify(dropped) });
      const rows = open.filter(({ tries }) => tries < MOST_TRIES);
      const suspect = rows.find(({ tries }) => tries >= SUSPECT_TRIES);
      const taken = suspect ? [suspect] : rows;
      for (const { update_id } of taken) tx.run(countTry, { update_id });
      return { updates: taken.map(updateOf), dropped };
    });
  }

  /** Marks an update as handled and drops its payload; the id stays for a week. */
  finish(updateId: number): Promise<void> {
    this.#finished ??= this.#writeFinished();
    this.#finished.ids.push(updateId);
    return this.#finished.written;
  }

  /** One write for all that are finished before the next commit. */
  #writeFinished(): FinishedUpdates {
    const ids: number[] = [];
    const begin = () => {
      this.#finished = undefined;
    };
    const written = this.#database.write("inbox-done", (tx) => {
      begin();
      tx.run(finish, { ids: JSON.stringify(ids) });
    });
    // Also where no transaction could be opened: those who wait for this write try again with another.
    written.catch(begin);
    return { ids, written };
  }

  /** Forgets ids older than a week. */
  async sweep(): Promise<void> {
    const before = this.#clock.now() - REMEMBERED_MS;
    await this.#database.write("inbox-sweep", (tx) => tx.run(forget, { before }));
  }
}
