import type { Migration } from "../migrate.js";

/** Adds sums of the ledger by month (UTC), which a trigger keeps: a long ledger is not read to sum one. */
export const ledgerMonths: Migration = {
  name: "ledger-months",
  sql: `
    CREATE TABLE ledger_month (
      account_id INTEGER NOT NULL REFERENCES account (id),
      month TEXT NOT NULL,
      kind TEXT NOT NULL,
      amount INTEGER NOT NULL,
      PRIMARY KEY (account_id, month, kind)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO ledger_month
      SELECT account_id, strftime('%Y-%m', created_at / 1000, 'unixepoch') AS month, kind, sum(amount)
      FROM ledger_entry GROUP BY account_id, month, kind;
    CREATE TRIGGER ledger_entry_moves_month AFTER INSERT ON ledger_entry
    BEGIN
      INSERT INTO ledger_month (account_id, month, kind, amount)
      VALUES (NEW.account_id, strftime('%Y-%m', NEW.created_at / 1000, 'unixepoch'), NEW.kind, NEW.amount)
      ON CONFLICT (account_id, month, kind) DO UPDATE SET amount = amount + excluded.amount;
    END;
  `,
};
