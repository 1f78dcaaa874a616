import type { Migration } from "../migrate.js";

export const orders: Migration = {
  name: "orders",
  sql: `
    CREATE TABLE "order" (
      id TEXT PRIMARY KEY,
      draft_id INTEGER NOT NULL,
      user_id INTEGER NOT NULL,
      user_name TEXT NOT NULL,
      chat_id INTEGER NOT NULL,
      thread_id INTEGER,
      status_message_id INTEGER,
      model_title TEXT NOT NULL,
      request TEXT NOT NULL,
      quoted_kopecks INTEGER NOT NULL CHECK (quoted_kopecks >= 0),
      state TEXT NOT NULL
        CHECK (state IN ('claimed', 'accepted', 'delivering', 'closed', 'refused', 'uncertain')),
      job_ids TEXT NOT NULL,
      created_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX order_open ON "order" (state, created_at) WHERE state IN ('claimed', 'accepted');
  `,
};
