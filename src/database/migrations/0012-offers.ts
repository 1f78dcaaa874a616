import type { Migration } from "../migrate.js";

/** Adds what admins were told of prices below cost, and requests to read the operator's offers anew. */
export const offers: Migration = {
  name: "offers",
  sql: `
    CREATE TABLE offers_told (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      fingerprint TEXT NOT NULL,
      at INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE offers_reload (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      asked_at INTEGER NOT NULL,
      answered_at INTEGER,
      problem TEXT
    ) STRICT;
  `,
};
