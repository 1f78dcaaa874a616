import { type ConversationData, conversations, type VersionedState } from "@grammyjs/conversations";
import type { Context, MiddlewareFn } from "grammy";
import { z } from "zod";
import type { Database } from "../../database/database.js";
import { prepare } from "../../database/prepared.js";
import { qb } from "../../database/schema.js";
import type { Transaction } from "../../database/transaction.js";
import type { Clock } from "../../platform/clock.js";
import type { Integer } from "../../platform/integer.js";
import { noCipher, type TextCipher, UnsealError } from "../../platform/text-cipher.js";
import { DAY_MS } from "../../platform/units.js";
import type { BotContext } from "../context.js";
import type { DialogRow } from "./dialog-table.js";

/** Increase it when the order of a dialog's waits changes: state of another version is dropped. */
const DIALOGS_VERSION = 2;
/** Milliseconds after which a dialog without an answer is deleted. */
const FORGOTTEN_AFTER_MS = 7 * DAY_MS;

const read = prepare<{ key: string }, { state: string }>((p) =>
  qb.selectFrom("dialog").select("state").where("key", "=", p.key),
);
const write = prepare<DialogRow>((p) =>
  qb
    .insertInto("dialog")
    .values({ key: p.key, state: p.state, updated_at: p.updated_at })
    .onConflict((conflict) =>
      conflict.column("key").doUpdateSet((eb) => ({
        state: eb.ref("excluded.state"),
        updated_at: eb.ref("excluded.updated_at"),
      })),
    ),
);
const readAll = prepare<object, DialogRow>(() => qb.selectFrom("dialog").selectAll());
const remove = prepare<{ key: string }>((p) => qb.deleteFrom("dialog").where("key", "=", p.key));
const forget = prepare<{ before: Integer }>((p) =>
  qb.deleteFrom("dialog").where("updated_at", "<", p.before),
);

const forgetOf = prepare<{ ending: string }>((p) => qb.deleteFrom("dialog").where("key", "like", p.ending));

const storedState = z.looseObject({
  version: z.array(z.union([z.number(), z.string()])),
  state: z.unknown(),
});

/** Names the row that a sealed state belongs to. */
function nameOf(key: string): string {
  return `dialog:${key}`;
}

/** Stores dialog state, one row per person and chat, before the update ends. */
export class Dialogs {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #cipher: TextCipher;

  constructor(database: Database, clock: Clock, cipher: TextCipher = noCipher) {
    this.#database = database;
    this.#clock = clock;
    this.#cipher = cipher;
  }

  /** Writes anew what is not stored under the current key. A state whose key is not known is dropped. */
  async reseal(): Promise<void> {
    await this.#database.write("dialog-reseal", (tx) => {
      const rows = tx.all(readAll, {});
      for (const row of rows) if (!this.#cipher.isCurrent(row.state)) this.#resealIn(tx, row);
    });
  }

  async sweep(now: Integer): Promise<void> {
    const before = now - FORGOTTEN_AFTER_MS;
    await this.#database.write("dialog-sweep", (tx) => tx.run(forget, { before }));
  }

  /** Deletes the dialogs of a person in every chat, and those of admins that name the person, with the id. */
  eraseIn(tx: Transaction, userId: number): void {
    tx.run(forgetOf, { ending: `%:${userId}` });
    for (const row of tx.all(readAll, {}))
      if (this.#openOf(row)?.includes(String(userId)) !== false) tx.run(remove, { key: row.key });
  }

  /** Installs `ctx.conversation`. */
  middleware(): MiddlewareFn<BotContext> {
    return conversations<BotContext, Context>({
      storage: {
        type: "key",
        version: DIALOGS_VERSION,
        getStorageKey: (ctx) => (ctx.chatId === undefined ? undefined : `${ctx.chatId}:${ctx.from?.id ?? 0}`),
        adapter: {
          read: (key) => this.#read(key),
          write: (key, state) => this.#write(key, state),
          delete: async (key) => {
            await this.#database.write("dialog-end", (tx) => tx.run(remove, { key }));
          },
        },
      },
    });
  }

  #read(key: string): VersionedState<ConversationData> | undefined {
    const row = this.#database.first(read, { key });
    if (!row) return undefined;
    const json = this.#cipher.open(row.state, nameOf(key));
    return storedState.parse(JSON.parse(json)) as unknown as VersionedState<ConversationData>;
  }

  async #write(key: string, state: VersionedState<ConversationData>): Promise<void> {
    const sealed = this.#cipher.seal(JSON.stringify(state), nameOf(key));
    const row = { key, state: sealed, updated_at: this.#clock.now() };
    await this.#database.write("dialog", (tx) => tx.run(write, row));
  }

  #resealIn(tx: Transaction, row: DialogRow): void {
    const { key } = row;
    const json = this.#openOf(row);
    if (json === undefined) tx.run(remove, { key });
    else tx.run(write, { ...row, state: this.#cipher.seal(json, nameOf(key)) });
  }

  /** Returns undefined for a state whose key is not known. */
  #openOf({ key, state }: DialogRow): string | undefined {
    try {
      return this.#cipher.open(state, nameOf(key));
    } catch (error) {
      if (error instanceof UnsealError) return undefined;
      throw error;
    }
  }
}
