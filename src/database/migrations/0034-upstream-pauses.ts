import type { Migration } from "../migrate.js";

/** Services that take nothing at the moment. Times in ms since the epoch. */
export const upstreamPauses: Migration = {
  name: "upstream-pauses",
  sql: `
    CREATE TABLE upstream_pause (
      provider TEXT PRIMARY KEY,
      reason TEXT NOT NULL CHECK (reason IN ('no_credit', 'locked', 'key_refused')),
      since_at INTEGER NOT NULL,
      -- When the admins were told.
      announced_at INTEGER
    ) STRICT, WITHOUT ROWID;
  `,
};
