import type { Migration } from "../migrate.js";

/** A service's own file, of which a result was made, is stored beside it with the same position. */
export const originals: Migration = {
  name: "originals",
  sql: `
    CREATE TABLE media_file_next (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      name TEXT NOT NULL UNIQUE,
      account_id INTEGER NOT NULL REFERENCES account (id),
      job_id INTEGER REFERENCES job (id),
      role TEXT NOT NULL CHECK (role IN ('result', 'cover', 'original', 'reference')),
      position INTEGER NOT NULL CHECK (position >= 0),
      mime TEXT NOT NULL,
      size INTEGER NOT NULL CHECK (size > 0),
      width INTEGER,
      height INTEGER,
      duration_sec REAL,
      title TEXT,
      created_at INTEGER NOT NULL,
      removed_at INTEGER,
      CHECK ((job_id IS NULL) = (role = 'reference'))
    ) STRICT;
    INSERT INTO media_file_next
      SELECT id, name, account_id, job_id, role, position, mime, size, width, height, duration_sec, title,
        created_at, removed_at
      FROM media_file ORDER BY id;
    DROP TABLE media_file;
    ALTER TABLE media_file_next RENAME TO media_file;
    CREATE UNIQUE INDEX media_file_job ON media_file (job_id, role, position) WHERE job_id IS NOT NULL;
    CREATE INDEX media_file_kept ON media_file (created_at) WHERE removed_at IS NULL;
    CREATE INDEX media_file_reference_account ON media_file (account_id, size)
      WHERE role = 'reference' AND removed_at IS NULL;
    -- Its first column only makes the planner prefer it to the index of all files by age.
    CREATE INDEX media_file_reference_age ON media_file (role, created_at)
      WHERE role = 'reference' AND removed_at IS NULL;
  `,
};
