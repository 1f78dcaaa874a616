import type { Migration } from "../migrate.js";

export const keptReferences: Migration = {
  name: "kept-references",
  sql: `
    CREATE INDEX media_file_reference_account ON media_file (account_id, size)
    WHERE role = 'reference' AND removed_at IS NULL;
    -- Its first column only makes the planner prefer it to the index of all files by age.
    CREATE INDEX media_file_reference_age ON media_file (role, created_at)
    WHERE role = 'reference' AND removed_at IS NULL;
  `,
};
