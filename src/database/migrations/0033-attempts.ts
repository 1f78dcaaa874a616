import type { Migration } from "../migrate.js";

/** Submissions of jobs to services elsewhere. Times in ms since the epoch. */
export const attempts: Migration = {
  name: "attempts",
  sql: `
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
      UNIQUE (job_id, no),
      CHECK (state <> 'accepted' OR ref IS NOT NULL)
    ) STRICT;
    CREATE INDEX attempt_due ON attempt (provider, due_at) WHERE due_at IS NOT NULL;
    CREATE INDEX attempt_open ON attempt (provider, state)
      WHERE state IN ('planned', 'sending', 'accepted', 'ready', 'ambiguous');
    CREATE INDEX attempt_submitted ON attempt (provider, submitted_at);
  `,
};
