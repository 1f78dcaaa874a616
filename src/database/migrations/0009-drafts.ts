import type { Migration } from "../migrate.js";

export const drafts: Migration = {
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
