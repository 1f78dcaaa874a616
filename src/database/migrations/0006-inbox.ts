import type { Migration } from "../migrate.js";

export const inbox: Migration = {
  name: "inbox",
  sql: `
    CREATE TABLE inbox (update_id INTEGER PRIMARY KEY, received_at INTEGER NOT NULL) STRICT;
    CREATE INDEX inbox_by_age ON inbox (received_at);
    -- Apart from the ids, so that its pages are free again as soon as updates are handled.
    CREATE TABLE inbox_pending (
      update_id INTEGER PRIMARY KEY,
      tries INTEGER NOT NULL DEFAULT 0,
      payload TEXT NOT NULL
    ) STRICT;
  `,
};
