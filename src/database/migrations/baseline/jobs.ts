export const JOBS = `
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
    reference_count INTEGER NOT NULL DEFAULT 0 CHECK (reference_count >= 0),
    provider TEXT NOT NULL DEFAULT 'local',
    tracks INTEGER NOT NULL DEFAULT 1 CHECK (tracks > 0),
    -- Providers that surely made nothing of it and gave it back, as a JSON list of names.
    declined_by TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(declined_by)),
    -- When a job that was done got its cost back: its files were lost before delivery.
    paid_back_at INTEGER,
    CHECK ((status = 'error') = (failure IS NOT NULL AND error IS NOT NULL)),
    CHECK (is_refunded = 0 OR status = 'error'),
    CHECK ((status IN ('done', 'error')) = (finished_at IS NOT NULL))
  ) STRICT;
  -- An order is accepted once.
  CREATE UNIQUE INDEX job_order ON job (account_id, order_id, order_index) WHERE order_id IS NOT NULL;
  CREATE INDEX job_generating ON job (id) WHERE status = 'generating';
  -- Each provider has a queue, in which accounts take turns.
  CREATE INDEX job_queued_provider ON job (provider, account_id, id) WHERE status = 'queued';
  CREATE INDEX job_queued_ready ON job (provider, account_id, id)
    WHERE status = 'queued' AND reference_count = 0;
  CREATE INDEX job_queued_unfetched ON job (provider, account_id, id)
    WHERE status = 'queued' AND reference_count > 0;

  -- What has ended is never charged, made or refunded again.
  CREATE TRIGGER job_moves_forward BEFORE UPDATE OF status ON job
  WHEN NOT (OLD.status = 'queued' AND NEW.status = 'generating'
    OR OLD.status = 'generating' AND NEW.status IN ('generating', 'done', 'error'))
  BEGIN SELECT RAISE(ABORT, 'a job moves from queued to generating to done or error'); END;

  -- Until the job has ended. As JSON: the mapped request, with marks for addresses that come later.
  CREATE TABLE job_operation (
    job_id INTEGER PRIMARY KEY REFERENCES job (id),
    operation TEXT NOT NULL
  ) STRICT;

  CREATE TABLE idempotency_key (
    id INTEGER PRIMARY KEY,
    account_id INTEGER NOT NULL REFERENCES account (id),
    key TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    order_id TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    UNIQUE (account_id, key)
  ) STRICT;
  CREATE INDEX idempotency_key_age ON idempotency_key (created_at);

  -- An original is a service's own file, of which the result with the same position was made.
  CREATE TABLE media_file (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    account_id INTEGER NOT NULL REFERENCES account (id),
    job_id INTEGER REFERENCES job (id),
    role TEXT NOT NULL CHECK (role IN ('result', 'cover', 'original', 'reference')),
    position INTEGER NOT NULL CHECK (position >= 0),
    mime TEXT NOT NULL,
    size INTEGER NOT NULL CHECK (size > 0),
    width INTEGER,
    height INTEGER,
    duration_sec REAL,
    title TEXT,
    created_at INTEGER NOT NULL,
    removed_at INTEGER,
    CHECK ((job_id IS NULL) = (role = 'reference'))
  ) STRICT;
  CREATE UNIQUE INDEX media_file_job ON media_file (job_id, role, position) WHERE job_id IS NOT NULL;
  CREATE INDEX media_file_kept ON media_file (created_at) WHERE removed_at IS NULL;
  CREATE INDEX media_file_reference_account ON media_file (account_id, size)
    WHERE role = 'reference' AND removed_at IS NULL;
  -- Its first column only makes the planner prefer it to the index of all files by age.
  CREATE INDEX media_file_reference_age ON media_file (role, created_at)
    WHERE role = 'reference' AND removed_at IS NULL;
`;
