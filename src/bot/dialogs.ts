import {
  type ConversationControls,
  type ConversationData,
  type ConversationFlavor,
  conversations,
  type VersionedState,
} from "@grammyjs/conversations";
import { Composer, type MiddlewareFn, type NextFunction } from "grammy";
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

type DialogContext = ConversationFlavor<BotContext>;

/** Whoever gives a command has left the dialog. */
async function leaveByCommand(ctx: DialogContext, next: NextFunction): Promise<void> {
  if (isCommand(ctx)) await ctx.conversation.exitAll();
  await next();
}

/** Telegram says what is a command: an answer in words may begin with a slash too. */
function isCommand({ message }: BotContext): boolean {
  return message?.entities?.some(({ type, offset }) => type === "bot_command" && offset === 0) ?? false;
}

/**
 * Short dialogs. The state of a person's dialog in a chat is one row, written through the one write queue, and
 * looked at only where an update may answer or begin a dialog.
 */
export class Dialogs {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #composer = new Composer<DialogContext>();

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
    this.#composer.use(this.#state(), leaveByCommand);
  }

  /** Makes a dialog known. */
  add(dialog: MiddlewareFn<DialogContext>): void {
    this.#composer.use(dialog);
  }

  /**
   * Lets an update answer the dialog that waits for it; with any other one goes on with `work`, which can begin
   * and end dialogs. A command ends them. Resolves when their state has been written. Not to be nested.
   */
  async within(ctx: BotContext, work: (dialogs: ConversationControls) => Promise<void>): Promise<void> {
    const withState = ctx as DialogContext;
    await this.#composer.middleware()(withState, () => work(withState.conversation));
  }

  /** Forgets dialogs that nobody answered for a week. */
  async sweep(): Promise<void> {
    const before = this.#clock.now() - FORGOTTEN_AFTER_MS;
    await this.#database.write("dialog-sweep", (tx) => tx.run(forget, { before }));
  }

  #state(): MiddlewareFn<DialogContext> {
    return conversations<DialogContext, BotContext>({
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
    return row && (storedState.parse(JSON.parse(row.state)) as unknown as VersionedState<ConversationData>);
  }

  async #write(key: string, state: VersionedState<ConversationData>): Promise<void> {
    const row = { key, state: JSON.stringify(state), updated_at: this.#clock.now() };
    await this.#database.write("dialog", (tx) => tx.run(write, row));
  }
}
