import type { Migration } from "../migrate.js";

export const people: Migration = {
  name: "people",
  sql: `
    CREATE TABLE person (
      telegram_id INTEGER PRIMARY KEY,
      name TEXT NOT NULL,
      username TEXT COLLATE NOCASE,
      locale TEXT NOT NULL,
      first_seen_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX person_by_username ON person (username) WHERE username IS NOT NULL;
  `,
};
