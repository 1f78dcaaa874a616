/** Submissions of jobs to services elsewhere, and services that take none at the moment. */
export const PROVIDERS = `
  CREATE TABLE attempt (
    attempt_id INTEGER PRIMARY KEY AUTOINCREMENT,
    -- For services that take an id of ours.
    uuid TEXT NOT NULL UNIQUE,
    job_id INTEGER NOT NULL,
    no INTEGER NOT NULL CHECK (no > 0),
    provider TEXT NOT NULL,
    endpoint TEXT NOT NULL,
    operation TEXT NOT NULL CHECK (json_valid(operation)),
    request_hash TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('planned', 'sending', 'accepted', 'ready', 'stored', 'refused',
      'failed', 'ambiguous', 'cancelled')),
    -- The reference of the service, as JSON.
    ref TEXT CHECK (json_valid(ref)),
    -- The job ended before.
    late INTEGER NOT NULL DEFAULT 0 CHECK (late IN (0, 1)),
    planned_at INTEGER NOT NULL,
    submitted_at INTEGER,
    accepted_at INTEGER,
    deadline_at INTEGER NOT NULL,
    -- When the service is asked next; NULL where it need not be.
    due_at INTEGER,
    -- Answers in a row that the task is unknown, and when the first one came.
    poll_failures INTEGER NOT NULL DEFAULT 0,
    unknown_since INTEGER,
    cost_amount REAL,
    cost_currency TEXT,
    cost_source TEXT CHECK (cost_source IN ('upstream', 'units', 'catalogue')),
    refusal TEXT CHECK (refusal IN ('policy', 'request')),
    detail TEXT,
    -- For the operator to look at.
    flagged INTEGER NOT NULL DEFAULT 0 CHECK (flagged IN (0, 1)),
    -- The id of the task at its service, as text. The first attempt that was told it has it.
    task_id TEXT,
    -- SHA-256 of the token in the address that the service may call, in hex; NULL where it was given none.
    callback_hash TEXT,
    UNIQUE (job_id, no),
    CHECK (state <> 'accepted' OR ref IS NOT NULL)
  ) STRICT;
  CREATE INDEX attempt_due ON attempt (provider, due_at) WHERE due_at IS NOT NULL;
  CREATE INDEX attempt_open ON attempt (provider, state)
    WHERE state IN ('planned', 'sending', 'accepted', 'ready', 'ambiguous');
  CREATE INDEX attempt_submitted ON attempt (provider, submitted_at);
  -- No two attempts have one task of a service, or its results would be delivered twice.
  CREATE UNIQUE INDEX attempt_task ON attempt (provider, task_id) WHERE task_id IS NOT NULL;
  CREATE UNIQUE INDEX attempt_callback ON attempt (provider, callback_hash) WHERE callback_hash IS NOT NULL;

  CREATE TABLE upstream_state (
    provider TEXT PRIMARY KEY,
    state TEXT NOT NULL CHECK (state IN ('paused', 'throttled', 'unreachable')),
    reason TEXT CHECK (reason IN ('no_credit', 'locked', 'key_refused')),
    since_at INTEGER NOT NULL,
    next_try_at INTEGER,
    -- Of the account there, in its own unit, when the service refused a task for credit.
    balance REAL,
    CHECK ((state = 'paused') = (reason IS NOT NULL))
  ) STRICT, WITHOUT ROWID;
`;
