import type { Migration } from "../migrate.js";

export const deliveries: Migration = {
  name: "deliveries",
  sql: `
    CREATE TABLE delivery (
      order_id TEXT PRIMARY KEY REFERENCES "order" (id),
      user_id INTEGER NOT NULL,
      chat_id INTEGER NOT NULL,
      state TEXT NOT NULL CHECK (state IN ('pending', 'parked', 'sent', 'failed', 'expired')),
      attempts INTEGER NOT NULL,
      next_try_at INTEGER NOT NULL,
      outcome TEXT,
      files TEXT NOT NULL,
      originals TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      ended_at INTEGER
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX delivery_open ON delivery (state, user_id) WHERE state IN ('pending', 'parked');
    -- What admins look into: deliveries that ended without reaching their person.
    CREATE INDEX delivery_lost ON delivery (ended_at) WHERE state IN ('failed', 'expired');
  `,
};
