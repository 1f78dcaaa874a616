import type { Migration } from "../migrate.js";

/** Adds the services of whose low balance operators were told. */
export const toldCredit: Migration = {
  name: "told-credit",
  sql: `
    CREATE TABLE told_credit (
      provider TEXT PRIMARY KEY,
      told_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
  `,
};
