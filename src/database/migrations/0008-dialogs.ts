import type { Migration } from "../migrate.js";

export const dialogs: Migration = {
  name: "dialogs",
  sql: `
    CREATE TABLE dialog (key TEXT PRIMARY KEY, state TEXT NOT NULL, updated_at INTEGER NOT NULL)
      STRICT, WITHOUT ROWID;
  `,
};
