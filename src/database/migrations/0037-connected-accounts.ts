import type { Migration } from "../migrate.js";

/** Accounts of a Generation API elsewhere that people of the chat have connected with keys of their own. */
export const connectedAccounts: Migration = {
  name: "connected-accounts",
  sql: `
    CREATE TABLE connected_account (
      -- Never used again: submissions name it.
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      user_id INTEGER NOT NULL,
      -- Encrypted; begins with the id of the key that encrypted it.
      sealed_key TEXT NOT NULL,
      -- 0: kept for the orders that are still open only.
      is_current INTEGER NOT NULL,
      -- Since when the service refuses the key.
      refused_at INTEGER,
      is_told INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE UNIQUE INDEX connected_account_current ON connected_account (user_id) WHERE is_current = 1;
    CREATE INDEX connected_account_user ON connected_account (user_id);
    -- NULL: the account that everybody shares.
    ALTER TABLE remote_submission ADD COLUMN account_id INTEGER;
    CREATE INDEX remote_submission_account ON remote_submission (account_id, sent_at)
      WHERE account_id IS NOT NULL;
  `,
};
