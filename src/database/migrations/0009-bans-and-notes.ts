import type { Migration } from "../migrate.js";

/** Adds bans, the notes of admins, and when a person wrote last. */
export const bansAndNotes: Migration = {
  name: "bans-and-notes",
  sql: `
    CREATE TABLE ban (
      account_id INTEGER PRIMARY KEY REFERENCES account(id),
      reason TEXT,
      -- NULL: until it is lifted.
      until_at INTEGER,
      banned_at INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE account_note (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      account_id INTEGER NOT NULL REFERENCES account(id),
      idempotency_key TEXT NOT NULL UNIQUE,
      actor TEXT NOT NULL,
      text TEXT NOT NULL,
      created_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX account_note_account ON account_note(account_id, id);
    ALTER TABLE person ADD COLUMN last_seen_at INTEGER NOT NULL DEFAULT 0;
    UPDATE person SET last_seen_at = first_seen_at;
  `,
};
