import type { Migration } from "../migrate.js";

export const retentionClock: Migration = {
  name: "retention-clock",
  sql: `
    CREATE TABLE retention_clock (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      trusted_at INTEGER NOT NULL,
      seen_at INTEGER NOT NULL,
      doubted_since INTEGER
    ) STRICT;
    -- The newest file says what the clock showed before it was recorded.
    INSERT INTO retention_clock (id, trusted_at, seen_at)
    SELECT 1, newest, newest FROM (SELECT max(created_at) AS newest FROM media_file) WHERE newest IS NOT NULL;
  `,
};
