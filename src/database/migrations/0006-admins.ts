import type { Migration } from "../migrate.js";

/** Adds the admins who became one by the code of a start. */
export const admins: Migration = {
  name: "admins",
  sql: `
    CREATE TABLE admin (
      user_id INTEGER PRIMARY KEY,
      name TEXT NOT NULL,
      added_at INTEGER NOT NULL
    ) STRICT;
  `,
};
