import type { Migration } from "../migrate.js";

export const removals: Migration = {
  name: "removals",
  sql: `
    CREATE TABLE removal (
      chat_id INTEGER NOT NULL,
      message_id INTEGER NOT NULL,
      remove_at INTEGER NOT NULL,
      PRIMARY KEY (chat_id, message_id)
    ) STRICT, WITHOUT ROWID;
  `,
};
