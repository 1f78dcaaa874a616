import type { Migration } from "../migrate.js";

/** Accounts no longer know who owns them: `identity` names the person and the service that knows them. */
export const identities: Migration = {
  name: "identities",
  sql: `
    CREATE TABLE identity (
      kind TEXT NOT NULL,
      subject TEXT NOT NULL,
      account_id INTEGER NOT NULL REFERENCES account (id),
      PRIMARY KEY (kind, subject)
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX identity_account ON identity (account_id, kind);
    INSERT INTO identity (kind, subject, account_id)
    SELECT 'telegram', CAST(telegram_id AS TEXT), id FROM account WHERE telegram_id IS NOT NULL;

    -- SQLite cannot drop a UNIQUE column, and a rename would rewrite the triggers and references of others.
    CREATE TEMP TABLE kept_account AS SELECT id, name, balance, created_at FROM account;
    DROP TABLE account;
    CREATE TABLE account (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      name TEXT,
      balance INTEGER NOT NULL DEFAULT 0 CHECK (balance BETWEEN 0 AND 9007199254740991),
      created_at INTEGER NOT NULL
    ) STRICT;
    INSERT INTO account (id, name, balance, created_at)
    SELECT id, name, balance, created_at FROM temp.kept_account ORDER BY id;
    DROP TABLE temp.kept_account;

    CREATE TRIGGER account_starts_empty BEFORE INSERT ON account WHEN NEW.balance <> 0
    BEGIN SELECT RAISE(ABORT, 'a balance changes only with a ledger entry'); END;

    CREATE TRIGGER account_balance_is_last_entry BEFORE UPDATE OF balance ON account
    WHEN NEW.balance IS NOT
      (SELECT balance_after FROM ledger_entry WHERE account_id = NEW.id ORDER BY id DESC LIMIT 1)
    BEGIN SELECT RAISE(ABORT, 'a balance changes only with a ledger entry'); END;
  `,
};
