import type { Migration } from "../migrate.js";

/** Adds the restores of backups: what is open in one is not sent to a service again. */
export const restoredBackup: Migration = {
  name: "restored-backup",
  sql: `
    CREATE TABLE restored_backup (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      made_at INTEGER NOT NULL,
      restored_at INTEGER NOT NULL,
      -- The newest job in it.
      last_job_id INTEGER NOT NULL,
      open_attempts INTEGER NOT NULL,
      -- Attempts that were sent after it; NULL where the data of before could not be read.
      lost_attempts INTEGER,
      told_at INTEGER
    ) STRICT;
  `,
};
