import type { Generated } from "kysely";
import type { ParameterValue } from "../../contract/model.js";
import type { Database } from "../../database/database.js";
import type { Migration } from "../../database/migrations.js";
import { prepare, queryBuilder } from "../../database/prepared.js";
import type { Transaction } from "../../database/transaction.js";
import type { Clock } from "../../platform/clock.js";
import {
  type Draft,
  type DraftState,
  type Place,
  readView,
  storedParameters,
  type View,
  writeView,
} from "./draft.js";

/** How long a draft that is no longer composed is kept to explain its old card, in ms. */
const CLOSED_KEPT_MS = 30 * 24 * 3600 * 1000;

interface DraftRow {
  id: number;
  user_id: number;
  chat_id: number;
  thread_id: number | null;
  message_id: number | null;
  state: DraftState;
  view: string;
  model_key: string | null;
  parameters: string;
  prompt: string | null;
  prompt_message_id: number | null;
  revision: number;
  updated_at: number;
}

interface DraftTable extends Omit<DraftRow, "id" | "message_id"> {
  id: Generated<number>;
  message_id: Generated<number | null>;
}

interface LastParametersRow {
  user_id: number;
  model_key: string;
  parameters: string;
  used_at: number;
}

export const DRAFTS_MIGRATION: Migration = {
  name: "drafts",
  sql: `
    CREATE TABLE draft (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      user_id INTEGER NOT NULL,
      chat_id INTEGER NOT NULL,
      thread_id INTEGER,
      message_id INTEGER,
      state TEXT NOT NULL CHECK (state IN ('composing', 'ordered', 'cancelled', 'replaced')),
      view TEXT NOT NULL,
      model_key TEXT,
      parameters TEXT NOT NULL,
      prompt TEXT,
      prompt_message_id INTEGER,
      revision INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX draft_composing ON draft (user_id, chat_id) WHERE state = 'composing';
    CREATE INDEX draft_closed ON draft (updated_at) WHERE state <> 'composing';
    CREATE TABLE last_parameters (
      user_id INTEGER NOT NULL,
      model_key TEXT NOT NULL,
      parameters TEXT NOT NULL,
      used_at INTEGER NOT NULL,
      PRIMARY KEY (user_id, model_key)
    ) STRICT, WITHOUT ROWID;
  `,
};

const qb = queryBuilder<{ draft: DraftTable; last_parameters: LastParametersRow }>();
const byId = prepare<{ id: number }, DraftRow>((p) =>
  qb.selectFrom("draft").selectAll().where("id", "=", p.id),
);
const composingIn = prepare<{ user_id: number; chat_id: number }, DraftRow>((p) =>
  qb
    .selectFrom("draft")
    .selectAll()
    .where("user_id", "=", p.user_id)
    .where("chat_id", "=", p.chat_id)
    .where("state", "=", "composing"),
);
const latestOf = prepare<{ user_id: number }, DraftRow>((p) =>
  qb
    .selectFrom("draft")
    .selectAll()
    .where("user_id", "=", p.user_id)
    .where("state", "=", "composing")
    .where("prompt", "is not", null)
    .orderBy("updated_at", "desc")
    .limit(1),
);
type NewRow = Omit<DraftRow, "id" | "state" | "message_id" | "revision">;
const insert = prepare<NewRow, DraftRow>((p) =>
  qb
    .insertInto("draft")
    .values({
      user_id: p.user_id,
      chat_id: p.chat_id,
      thread_id: p.thread_id,
      state: "composing",
      view: p.view,
      model_key: p.model_key,
      parameters: p.parameters,
      prompt: p.prompt,
      prompt_message_id: p.prompt_message_id,
      revision: 1,
      updated_at: p.updated_at,
    })
    .returningAll(),
);
const update = prepare<Omit<DraftRow, "user_id" | "chat_id" | "thread_id" | "message_id">, DraftRow>((p) =>
  qb
    .updateTable("draft")
    .set((eb) => ({
      state: p.state,
      view: p.view,
      model_key: p.model_key,
      parameters: p.parameters,
      prompt: p.prompt,
      prompt_message_id: p.prompt_message_id,
      revision: eb("revision", "+", 1),
      updated_at: p.updated_at,
    }))
    .where("id", "=", p.id)
    .where("revision", "=", p.revision)
    .returningAll(),
);
const setMessage = prepare<{ id: number; message_id: number }>((p) =>
  qb.updateTable("draft").set({ message_id: p.message_id }).where("id", "=", p.id),
);
const lastParameters = prepare<{ user_id: number; model_key: string }, { parameters: string }>((p) =>
  qb
    .selectFrom("last_parameters")
    .select("parameters")
    .where("user_id", "=", p.user_id)
    .where("model_key", "=", p.model_key),
);
const lastModels = prepare<{ user_id: number }, { model_key: string }>((p) =>
  qb
    .selectFrom("last_parameters")
    .select("model_key")
    .where("user_id", "=", p.user_id)
    .orderBy("used_at", "desc"),
);
const rememberParameters = prepare<LastParametersRow>((p) =>
  qb
    .insertInto("last_parameters")
    .values({ user_id: p.user_id, model_key: p.model_key, parameters: p.parameters, used_at: p.used_at })
    .onConflict((conflict) =>
      conflict.columns(["user_id", "model_key"]).doUpdateSet((eb) => ({
        parameters: eb.ref("excluded.parameters"),
        used_at: eb.ref("excluded.used_at"),
      })),
    ),
);
const forgetClosed = prepare<{ before: number }>((p) =>
  qb.deleteFrom("draft").where("state", "!=", "composing").where("updated_at", "<", p.before),
);

/** What a new draft starts with. */
export interface NewDraft extends Place {
  userId: number;
  view: View;
  modelKey: string | null;
  parameters: Readonly<Record<string, ParameterValue>>;
  prompt: string | null;
  promptMessageId: number | null;
}

export type DraftChange = Partial<
  Pick<Draft, "state" | "view" | "modelKey" | "parameters" | "prompt" | "promptMessageId">
>;

/** Drafts as rows: one being composed per person and chat, changed only by compare-and-set. */
export class Drafts {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  find(id: number): Draft | undefined {
    const row = this.#database.first(byId, { id });
    return row && draftOf(row);
  }

  /** The draft that this person is composing in this chat. */
  composing(userId: number, chatId: number): Draft | undefined {
    const row = this.#database.first(composingIn, { user_id: userId, chat_id: chatId });
    return row && draftOf(row);
  }

  /** The newest draft of a person, in any chat, that waits only for being paid. */
  waiting(userId: number): Draft | undefined {
    const row = this.#database.first(latestOf, { user_id: userId });
    return row && draftOf(row);
  }

  /** Opens a draft in place of the one that was being composed there, which is answered too. */
  open(draft: NewDraft): Promise<{ draft: Draft; replaced: Draft | undefined }> {
    return this.#database.write("draft-open", (tx) => {
      const old = tx.first(composingIn, { user_id: draft.userId, chat_id: draft.chatId });
      const replaced = old && draftOf(old);
      if (replaced) this.changeIn(tx, replaced, { state: "replaced" });
      const row = tx.first(insert, {
        user_id: draft.userId,
        chat_id: draft.chatId,
        thread_id: draft.threadId,
        view: writeView(draft.view),
        model_key: draft.modelKey,
        parameters: JSON.stringify(draft.parameters),
        prompt: draft.prompt,
        prompt_message_id: draft.promptMessageId,
        updated_at: this.#clock.now(),
      });
      if (!row) throw new Error("the new draft was not answered");
      return { draft: draftOf(row), replaced };
    });
  }

  /** Compare-and-set: answers the new revision, or `undefined` when somebody was faster. */
  change(draft: Draft, change: DraftChange): Promise<Draft | undefined> {
    return this.#database.write("draft", (tx) => this.changeIn(tx, draft, change));
  }

  /** `change` inside a transaction of the caller's. */
  changeIn(tx: Transaction, draft: Draft, change: DraftChange): Draft | undefined {
    const next = { ...draft, ...change };
    const row = tx.first(update, {
      id: draft.id,
      revision: draft.revision,
      state: next.state,
      view: writeView(next.view),
      model_key: next.modelKey,
      parameters: JSON.stringify(next.parameters),
      prompt: next.prompt,
      prompt_message_id: next.promptMessageId,
      updated_at: this.#clock.now(),
    });
    return row && draftOf(row);
  }

  /** Lets an ordered draft be composed on, unless its person has begun another one there since. */
  reopenIn(tx: Transaction, draftId: number): Draft | undefined {
    const row = tx.first(byId, { id: draftId });
    if (row?.state !== "ordered") return undefined;
    if (tx.first(composingIn, { user_id: row.user_id, chat_id: row.chat_id })) return undefined;
    return this.changeIn(tx, draftOf(row), { state: "composing" });
  }

  /** Remembers which message shows the draft. It is no change of the draft itself. */
  async setMessage(draftId: number, messageId: number): Promise<void> {
    await this.#database.write("draft-message", (tx) =>
      tx.run(setMessage, { id: draftId, message_id: messageId }),
    );
  }

  /** What the person used last with a model, or an empty object. */
  lastParameters(userId: number, modelKey: string): Readonly<Record<string, ParameterValue>> {
    const row = this.#database.first(lastParameters, { user_id: userId, model_key: modelKey });
    return row ? storedParameters.parse(JSON.parse(row.parameters)) : {};
  }

  /** The models that the person paid for, newest first. */
  lastModels(userId: number): string[] {
    return this.#database.all(lastModels, { user_id: userId }).map(({ model_key }) => model_key);
  }

  rememberIn(tx: Transaction, { userId, modelKey, parameters }: Draft): void {
    if (modelKey === null) return;
    tx.run(rememberParameters, {
      user_id: userId,
      model_key: modelKey,
      parameters: JSON.stringify(parameters),
      used_at: this.#clock.now(),
    });
  }

  async sweep(): Promise<void> {
    const before = this.#clock.now() - CLOSED_KEPT_MS;
    await this.#database.write("draft-sweep", (tx) => tx.run(forgetClosed, { before }));
  }
}

function draftOf(row: DraftRow): Draft {
  return {
    id: row.id,
    userId: row.user_id,
    chatId: row.chat_id,
    threadId: row.thread_id,
    messageId: row.message_id,
    state: row.state,
    view: readView(row.view),
    modelKey: row.model_key,
    parameters: storedParameters.parse(JSON.parse(row.parameters)),
    prompt: row.prompt,
    promptMessageId: row.prompt_message_id,
    revision: row.revision,
  };
}
