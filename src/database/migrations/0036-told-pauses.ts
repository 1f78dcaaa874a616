import type { Migration } from "../migrate.js";

/** Pauses of providers that an admin was told of, and not yet of their end. */
export const toldPauses: Migration = {
  name: "told-pauses",
  sql: `
    CREATE TABLE told_pause (
      admin_id INTEGER NOT NULL,
      provider TEXT NOT NULL,
      PRIMARY KEY (admin_id, provider)
    ) STRICT, WITHOUT ROWID;
  `,
};
