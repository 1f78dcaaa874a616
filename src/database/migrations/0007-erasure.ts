import type { Migration } from "../migrate.js";

/** Adds who asked to be forgotten, and finds what is stored about one person. */
export const erasure: Migration = {
  name: "erasure",
  sql: `
    CREATE TABLE erasure (
      account_id INTEGER PRIMARY KEY REFERENCES account(id),
      actor TEXT NOT NULL,
      asked_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX job_account ON job (account_id, id);
    -- References have an index of their own, which sums of references must not leave.
    CREATE INDEX media_file_account ON media_file (account_id) WHERE removed_at IS NULL AND role <> 'reference';
    CREATE INDEX order_user ON "order" (user_id, created_at);
    CREATE INDEX draft_user ON draft (user_id);
  `,
};
