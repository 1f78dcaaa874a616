import type { Migration } from "../migrate.js";

/** Adds the acts of admins and operators, which are never edited and never deleted. */
export const audit: Migration = {
  name: "audit",
  sql: `
    CREATE TABLE audit_entry (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      at INTEGER NOT NULL,
      actor TEXT NOT NULL,
      act TEXT NOT NULL,
      account_id INTEGER REFERENCES account(id),
      subject TEXT,
      before TEXT,
      after TEXT,
      reason TEXT
    ) STRICT;
    CREATE INDEX audit_entry_account ON audit_entry(account_id, id) WHERE account_id IS NOT NULL;
    CREATE TRIGGER audit_entry_no_update BEFORE UPDATE ON audit_entry
      BEGIN SELECT RAISE(ABORT, 'acts are never edited'); END;
    CREATE TRIGGER audit_entry_no_delete BEFORE DELETE ON audit_entry
      BEGIN SELECT RAISE(ABORT, 'acts are never deleted'); END;
  `,
};
