import type { Migration } from "../migrate.js";

export const jobs: Migration = {
  name: "jobs",
  sql: `
    CREATE TABLE job (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      account_id INTEGER NOT NULL REFERENCES account (id),
      origin TEXT NOT NULL CHECK (origin IN ('api', 'bot')),
      order_id TEXT,
      order_index INTEGER NOT NULL CHECK (order_index >= 0),
      type TEXT NOT NULL CHECK (type IN ('image', 'video', 'music')),
      model_key TEXT NOT NULL,
      model TEXT NOT NULL,
      model_title TEXT NOT NULL,
      request TEXT NOT NULL CHECK (json_valid(request)),
      seed INTEGER NOT NULL,
      cost INTEGER NOT NULL CHECK (cost >= 0),
      status TEXT NOT NULL CHECK (status IN ('queued', 'generating', 'done', 'error')),
      failure TEXT,
      error TEXT,
      is_refunded INTEGER NOT NULL CHECK (is_refunded IN (0, 1)),
      attempts INTEGER NOT NULL CHECK (attempts >= 0),
      created_at INTEGER NOT NULL,
      started_at INTEGER,
      finished_at INTEGER,
      CHECK ((status = 'error') = (failure IS NOT NULL AND error IS NOT NULL)),
      CHECK (is_refunded = 0 OR status = 'error'),
      CHECK ((status IN ('done', 'error')) = (finished_at IS NOT NULL))
    ) STRICT;
    CREATE UNIQUE INDEX job_order ON job (account_id, order_id, order_index) WHERE order_id IS NOT NULL;
    CREATE INDEX job_queued ON job (account_id, id) WHERE status = 'queued';
    CREATE INDEX job_generating ON job (id) WHERE status = 'generating';

    CREATE TRIGGER job_moves_forward BEFORE UPDATE OF status ON job
    WHEN NOT (OLD.status = 'queued' AND NEW.status = 'generating'
      OR OLD.status = 'generating' AND NEW.status IN ('generating', 'done', 'error'))
    BEGIN SELECT RAISE(ABORT, 'a job moves from queued to generating to done or error'); END;
  `,
};
