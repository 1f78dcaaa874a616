import type { Migration } from "../migrate.js";

export const outboxAndAskedCorrections: Migration = {
  name: "outbox-and-asked-corrections",
  sql: `
    CREATE TABLE outbox_message (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      chat_id INTEGER NOT NULL,
      thread_id INTEGER,
      payload TEXT NOT NULL,
      created_at INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE asked_correction (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      idempotency_key TEXT NOT NULL UNIQUE,
      admin_id INTEGER NOT NULL,
      kind TEXT NOT NULL CHECK (kind IN ('credit', 'debit')),
      user_id INTEGER NOT NULL,
      kopecks INTEGER NOT NULL,
      reason TEXT,
      asked_at INTEGER NOT NULL
    ) STRICT;
  `,
};
