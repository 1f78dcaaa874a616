import type { Migration } from "../migrate.js";

/** What is removed by age, each with a record of its own. Keys begin with what the removal of media knows. */
export const trustedClocks: Migration = {
  name: "trusted-clocks",
  sql: `
    CREATE TABLE trusted_clock (
      name TEXT PRIMARY KEY,
      trusted_at INTEGER NOT NULL,
      seen_at INTEGER NOT NULL,
      doubted_since INTEGER
    ) STRICT, WITHOUT ROWID;
    INSERT INTO trusted_clock (name, trusted_at, seen_at, doubted_since)
    SELECT 'media', trusted_at, seen_at, doubted_since FROM retention_clock
    UNION ALL
    SELECT 'keys', trusted_at, seen_at, NULL FROM retention_clock;
    DROP TABLE retention_clock;
  `,
};
