import type { Migration } from "../migrate.js";

export const accounts: Migration = {
  name: "accounts",
  sql: `
    CREATE TABLE account (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      name TEXT,
      telegram_id INTEGER UNIQUE,
      balance INTEGER NOT NULL DEFAULT 0 CHECK (balance BETWEEN 0 AND 9007199254740991),
      created_at INTEGER NOT NULL
    ) STRICT;
  `,
};
