import type { Migration } from "../migrate.js";

/** What the client of a Generation API elsewhere must know after a restart. */
export const remoteOrders: Migration = {
  name: "remote-orders",
  sql: `
    CREATE TABLE remote_submission (
      order_id TEXT PRIMARY KEY,
      sent_at INTEGER NOT NULL,
      -- NULL where the POST must not be repeated.
      repeatable_until INTEGER,
      -- The acceptance as JSON; NULL while the outcome is unknown.
      accepted TEXT
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE remote_job (
      id TEXT PRIMARY KEY,
      since INTEGER NOT NULL,
      -- NULL for a job that the service no longer knows.
      due_at INTEGER,
      not_found_count INTEGER NOT NULL DEFAULT 0,
      not_found_since INTEGER,
      linkless_since INTEGER
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX remote_job_due ON remote_job (due_at) WHERE due_at IS NOT NULL;
    CREATE TABLE published_reference (
      name TEXT PRIMARY KEY,
      mime TEXT NOT NULL,
      size INTEGER NOT NULL,
      created_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
  `,
};
