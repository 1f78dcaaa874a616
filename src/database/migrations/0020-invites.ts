import type { Migration } from "../migrate.js";

/** Keeps the codes that people invite with, and who invited whom. */
export const invites: Migration = {
  name: "invites",
  sql: `
    CREATE TABLE invite_code (
      account_id INTEGER PRIMARY KEY REFERENCES account (id),
      code TEXT NOT NULL UNIQUE,
      made_at INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE invite (
      invited_id INTEGER PRIMARY KEY REFERENCES account (id),
      inviter_id INTEGER NOT NULL REFERENCES account (id) CHECK (inviter_id <> invited_id),
      at INTEGER NOT NULL,
      rewarded_at INTEGER,
      inviter_kopecks INTEGER NOT NULL CHECK (inviter_kopecks >= 0),
      invited_kopecks INTEGER NOT NULL CHECK (invited_kopecks >= 0),
      told_at INTEGER
    ) STRICT;
    CREATE INDEX invite_inviter ON invite (inviter_id, rewarded_at);
    CREATE INDEX invite_newest ON invite (at, invited_id);
    CREATE INDEX invite_untold ON invite (rewarded_at) WHERE rewarded_at IS NOT NULL AND told_at IS NULL;
  `,
};
