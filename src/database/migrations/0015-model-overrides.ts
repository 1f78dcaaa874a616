import type { Migration } from "../migrate.js";

/** Adds the models that admins took out of what is sold, and their notes. */
export const modelOverrides: Migration = {
  name: "model-overrides",
  sql: `
    CREATE TABLE model_override (
      model_key TEXT PRIMARY KEY,
      is_off INTEGER NOT NULL CHECK (is_off IN (0, 1)),
      note TEXT,
      changed_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
  `,
};
