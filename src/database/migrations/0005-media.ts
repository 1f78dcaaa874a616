import type { Migration } from "../migrate.js";

export const media: Migration = {
  name: "media",
  sql: `
    CREATE TABLE media_file (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      name TEXT NOT NULL UNIQUE,
      account_id INTEGER NOT NULL REFERENCES account (id),
      job_id INTEGER REFERENCES job (id),
      role TEXT NOT NULL CHECK (role IN ('result', 'cover', 'reference')),
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
    CREATE UNIQUE INDEX media_file_job ON media_file (job_id, role, position) WHERE job_id IS NOT NULL;
    CREATE INDEX media_file_kept ON media_file (created_at) WHERE removed_at IS NULL;
  `,
};
