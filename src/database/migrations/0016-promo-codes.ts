import type { Migration } from "../migrate.js";

/** Adds promo codes, who used them, and wrong tries, which are kept for an hour. */
export const promoCodes: Migration = {
  name: "promo-codes",
  sql: `
    CREATE TABLE promo_code (
      -- In capitals.
      code TEXT PRIMARY KEY,
      kopecks INTEGER NOT NULL CHECK (kopecks > 0),
      uses INTEGER NOT NULL CHECK (uses BETWEEN 0 AND uses_max),
      uses_max INTEGER NOT NULL CHECK (uses_max > 0),
      valid_until INTEGER NOT NULL,
      created_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE promo_use (
      code TEXT NOT NULL REFERENCES promo_code (code),
      account_id INTEGER NOT NULL REFERENCES account (id),
      at INTEGER NOT NULL,
      PRIMARY KEY (code, account_id)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE promo_try (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      account_id INTEGER NOT NULL REFERENCES account (id),
      at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX promo_try_account ON promo_try (account_id, at);
  `,
};
