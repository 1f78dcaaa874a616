import type { Migration } from "../migrate.js";

export const apiKeys: Migration = {
  name: "api-keys",
  sql: `
    CREATE TABLE api_key (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      account_id INTEGER NOT NULL REFERENCES account (id),
      prefix TEXT NOT NULL,
      hash TEXT NOT NULL UNIQUE,
      name TEXT,
      created_at INTEGER NOT NULL,
      last_used_at INTEGER,
      revoked_at INTEGER
    ) STRICT;
    CREATE INDEX api_key_account ON api_key (account_id, id);
  `,
};
