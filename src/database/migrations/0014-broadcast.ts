import type { Migration } from "../migrate.js";

/** Adds messages of admins to many people, to whom they went, and who wants none. */
export const broadcast: Migration = {
  name: "broadcast",
  sql: `
    CREATE TABLE broadcast (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      admin_id INTEGER NOT NULL,
      message_id INTEGER NOT NULL,
      screen_id INTEGER,
      audience TEXT NOT NULL CHECK (json_valid(audience)),
      state TEXT NOT NULL CHECK (state IN ('composing', 'running', 'stopped', 'done', 'cancelled')),
      revision INTEGER NOT NULL,
      total INTEGER NOT NULL,
      sent INTEGER NOT NULL,
      blocked INTEGER NOT NULL,
      failed INTEGER NOT NULL,
      last_user_id INTEGER NOT NULL,
      waits_until INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      started_at INTEGER,
      ended_at INTEGER,
      UNIQUE (admin_id, message_id)
    ) STRICT;
    CREATE INDEX broadcast_running ON broadcast (id) WHERE state = 'running';
    CREATE TABLE broadcast_recipient (
      broadcast_id INTEGER NOT NULL REFERENCES broadcast (id),
      user_id INTEGER NOT NULL,
      state TEXT NOT NULL CHECK (state IN ('claimed', 'sent', 'blocked', 'failed')),
      PRIMARY KEY (broadcast_id, user_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX broadcast_recipient_user ON broadcast_recipient (user_id);
    CREATE TABLE news_opt_out (user_id INTEGER PRIMARY KEY) STRICT;
  `,
};
