/** What the client of a Generation API elsewhere must know after a restart. */
export const ELSEWHERE = `
  -- Accounts there that people of the chat have connected with keys of their own.
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

  CREATE TABLE remote_submission (
    order_id TEXT PRIMARY KEY,
    sent_at INTEGER NOT NULL,
    -- NULL where the POST must not be repeated.
    repeatable_until INTEGER,
    -- The acceptance as JSON; NULL while the outcome is unknown.
    accepted TEXT,
    -- A hash of the service and key that it was sent to.
    sent_to TEXT,
    -- NULL: the account that everybody shares.
    account_id INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX remote_submission_account ON remote_submission (account_id, sent_at)
    WHERE account_id IS NOT NULL;

  CREATE TABLE remote_job (
    -- Named by its account too: 0 for the one that everybody shares.
    id TEXT PRIMARY KEY,
    since INTEGER NOT NULL,
    -- NULL for a job that the service no longer knows.
    due_at INTEGER,
    not_found_count INTEGER NOT NULL DEFAULT 0,
    not_found_since INTEGER,
    linkless_since INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX remote_job_due ON remote_job (due_at) WHERE due_at IS NOT NULL;

  CREATE TABLE published_reference (
    name TEXT PRIMARY KEY,
    mime TEXT NOT NULL,
    size INTEGER NOT NULL,
    created_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
`;
