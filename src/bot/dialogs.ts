import { type ConversationData, conversations, type VersionedState } from "@grammyjs/conversations";
import type { MiddlewareFn } from "grammy";
import { z } from "zod";
import type { Database } from "../database/database.js";
import type { Migration } from "../database/migrations.js";
import { prepare, queryBuilder } from "../database/prepared.js";
import type { Clock } from "../platform/clock.js";
import type { BotContext } from "./context.js";

/** Raised when a dialog's waits change their order: state of another version is dropped, not misread. */
const DIALOGS_VERSION = 1;
/** A dialog that nobody answered for this long is forgotten, in ms. */
const FORGOTTEN_AFTER_MS = 7 * 24 * 3600 * 1000;

interface DialogRow {
  key: string;
  state: string;
  updated_at: number;
}

export const DIALOGS_MIGRATION: Migration = {
  name: "dialogs",
  sql: `
    CREATE TABLE dialog (key TEXT PRIMARY KEY, state TEXT NOT NULL, updated_at INTEGER NOT NULL)
      STRICT, WITHOUT ROWID;
  `,
};

const qb = queryBuilder<{ dialog: DialogRow }>();
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
const remove = prepare<{ key: string }>((p) => qb.deleteFrom("dialog").where("key", "=", p.key));
const forget = prepare<{ before: number }>((p) => qb.deleteFrom("dialog").where("updated_at", "<", p.before));

const storedState = z.looseObject({
  version: z.array(z.union([z.number(), z.string()])),
  state: z.unknown(),
});

/** The state of short dialogs: one row a person and chat, written through the one write queue. */
export function dialogState(database: Database, clock: Clock): MiddlewareFn<BotContext> {
  return conversations<BotContext, BotContext>({
    storage: {
      type: "key",
      version: DIALOGS_VERSION,
      getStorageKey: (ctx) => (ctx.chatId === undefined ? undefined : `${ctx.chatId}:${ctx.from?.id ?? 0}`),
      adapter: {
        read(key) {
          const row = database.first(read, { key });
          if (!row) return undefined;
          return storedState.parse(JSON.parse(row.state)) as unknown as VersionedState<ConversationData>;
        },
        async write(key, state) {
          const row = { key, state: JSON.stringify(state), updated_at: clock.now() };
          await database.write("dialog", (tx) => tx.run(write, row));
        },
        async delete(key) {
          await database.write("dialog-end", (tx) => tx.run(remove, { key }));
        },
      },
    },
  });
}

/** Forgets dialogs that nobody answered for a week. */
export async function sweepDialogs(database: Database, clock: Clock): Promise<void> {
  const before = clock.now() - FORGOTTEN_AFTER_MS;
  await database.write("dialog-sweep", (tx) => tx.run(forget, { before }));
}
