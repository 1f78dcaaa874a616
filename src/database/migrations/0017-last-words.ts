import type { Migration } from "../migrate.js";

export const lastWords: Migration = {
  name: "last-words",
  sql: `
    -- Orders that have ended while their status message does not say so yet: a few at a time.
    CREATE TABLE last_words (
      order_id TEXT PRIMARY KEY REFERENCES "order" (id),
      is_done INTEGER NOT NULL CHECK (is_done IN (0, 1))
    ) STRICT, WITHOUT ROWID;
  `,
};
