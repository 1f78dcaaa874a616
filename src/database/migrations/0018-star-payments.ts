import type { Migration } from "../migrate.js";

/** Adds to what people agreed, and how far the list of Stars was read. */
export const starPayments: Migration = {
  name: "star-payments",
  sql: `
    CREATE TABLE consent (
      account_id INTEGER NOT NULL REFERENCES account(id),
      document TEXT NOT NULL,
      version TEXT NOT NULL,
      agreed_at INTEGER NOT NULL,
      PRIMARY KEY (account_id, document, version)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE star_count (
      bot_id INTEGER PRIMARY KEY,
      foreign_count INTEGER NOT NULL,
      read_count INTEGER NOT NULL
    ) STRICT;
  `,
};
