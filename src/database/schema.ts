import type { Migration } from "./migrate.js";

const isReturned = (row: string) => `(${row}.is_refunded = 1 OR ${row}.paid_back_at IS NOT NULL)`;
const addJob = (row: "OLD" | "NEW", sign: "" | "-") => `
    INSERT INTO job_total (model_key, provider, jobs, charged_kopecks, refunded_kopecks)
    VALUES (${row}.model_key, ${row}.provider, ${sign}1, ${sign}${row}.cost,
      ${sign}iif(${isReturned(row)}, ${row}.cost, 0))
    ON CONFLICT (model_key, provider) DO UPDATE SET
      jobs = jobs + excluded.jobs,
      charged_kopecks = charged_kopecks + excluded.charged_kopecks,
      refunded_kopecks = refunded_kopecks + excluded.refunded_kopecks;`;

/** True for an attempt but for those that surely cost nothing. */
const isCounted = (row: string) =>
  `(${row}.cost_amount IS NOT NULL OR ${row}.state IN ('accepted', 'ready', 'stored', 'ambiguous')
    OR (${row}.state = 'failed' AND ${row}.flagged = 1))`;
const hasKnownCost = (row: string) => `${row}.cost_amount IS NOT NULL AND ${row}.cost_currency IS NOT NULL`;
const currencyOf = (row: string) => `iif(${hasKnownCost(row)}, ${row}.cost_currency, '')`;
const amountOf = (row: string) => `iif(${hasKnownCost(row)}, ${row}.cost_amount, 0)`;
const addCost = (row: "OLD" | "NEW", sign: "" | "-") => `
    INSERT INTO cost_total (model_key, provider, cost_currency, cost_amount, attempts)
    SELECT job.model_key, ${row}.provider, ${currencyOf(row)}, ${sign}${amountOf(row)}, ${sign}1
    FROM job WHERE job.id = ${row}.job_id AND ${isCounted(row)}
    ON CONFLICT (model_key, provider, cost_currency) DO UPDATE SET
      cost_amount = cost_amount + excluded.cost_amount, attempts = attempts + excluded.attempts;`;

/** Every table, with its indexes and triggers. Times are in ms since the epoch, sums in kopecks. */
const SCHEMA = `
  CREATE TABLE write_probe (id INTEGER PRIMARY KEY CHECK (id = 1), at INTEGER NOT NULL) STRICT;
  INSERT INTO write_probe VALUES (1, 0);

  -- What is removed by age has a clock of its own, which a leap ahead does not move.
  CREATE TABLE trusted_clock (
    name TEXT PRIMARY KEY,
    trusted_at INTEGER NOT NULL,
    seen_at INTEGER NOT NULL,
    doubted_since INTEGER
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE account (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT,
    balance INTEGER NOT NULL DEFAULT 0 CHECK (balance BETWEEN 0 AND 9007199254740991),
    created_at INTEGER NOT NULL
  ) STRICT;
  CREATE TRIGGER account_starts_empty BEFORE INSERT ON account WHEN NEW.balance <> 0
  BEGIN SELECT RAISE(ABORT, 'a balance changes only with a ledger entry'); END;
  CREATE TRIGGER account_balance_is_last_entry BEFORE UPDATE OF balance ON account
  WHEN NEW.balance IS NOT
    (SELECT balance_after FROM ledger_entry WHERE account_id = NEW.id ORDER BY id DESC LIMIT 1)
  BEGIN SELECT RAISE(ABORT, 'a balance changes only with a ledger entry'); END;

  -- An account does not know its person: a front-end does, by 'kind'.
  CREATE TABLE identity (
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    account_id INTEGER NOT NULL REFERENCES account (id),
    PRIMARY KEY (kind, subject)
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX identity_account ON identity (account_id, kind);

  CREATE TABLE api_key (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    account_id INTEGER NOT NULL REFERENCES account (id),
    prefix TEXT NOT NULL,
    hash TEXT NOT NULL UNIQUE,
    name TEXT,
    created_at INTEGER NOT NULL,
    last_used_at INTEGER,
    revoked_at INTEGER
  ) STRICT;
  CREATE INDEX api_key_account ON api_key (account_id, id);

  CREATE TABLE ledger_entry (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    account_id INTEGER NOT NULL REFERENCES account (id),
    kind TEXT NOT NULL CHECK (kind IN ('credit', 'debit', 'charge', 'refund')),
    amount INTEGER NOT NULL,
    balance_after INTEGER NOT NULL CHECK (balance_after >= 0),
    reason TEXT,
    actor TEXT NOT NULL,
    order_id TEXT,
    job_id INTEGER,
    idempotency_key TEXT UNIQUE,
    created_at INTEGER NOT NULL,
    CHECK (CASE WHEN kind IN ('credit', 'refund') THEN amount > 0 ELSE amount < 0 END)
  ) STRICT;
  CREATE INDEX ledger_entry_account ON ledger_entry (account_id, id);
  -- Triggers keep the rule whoever writes: only an entry changes a balance, and entries never change.
  CREATE TRIGGER ledger_entry_continues BEFORE INSERT ON ledger_entry
  WHEN NEW.balance_after IS NOT (SELECT balance + NEW.amount FROM account WHERE id = NEW.account_id)
  BEGIN SELECT RAISE(ABORT, 'a ledger entry must continue the balance'); END;
  CREATE TRIGGER ledger_entry_moves_balance AFTER INSERT ON ledger_entry
  BEGIN UPDATE account SET balance = NEW.balance_after WHERE id = NEW.account_id; END;
  CREATE TRIGGER ledger_entry_not_edited BEFORE UPDATE ON ledger_entry
  BEGIN SELECT RAISE(ABORT, 'ledger entries are never edited'); END;
  CREATE TRIGGER ledger_entry_not_deleted BEFORE DELETE ON ledger_entry
  BEGIN SELECT RAISE(ABORT, 'ledger entries are never deleted'); END;
  CREATE TRIGGER ledger_entry_moves_month AFTER INSERT ON ledger_entry
  BEGIN
    INSERT INTO ledger_month (account_id, month, kind, amount)
    VALUES (NEW.account_id, strftime('%Y-%m', NEW.created_at / 1000, 'unixepoch'), NEW.kind, NEW.amount)
    ON CONFLICT (account_id, month, kind) DO UPDATE SET amount = amount + excluded.amount;
  END;

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
  CREATE INDEX job_account ON job (account_id, id);
  CREATE INDEX job_chat_unfinished ON job (account_id, order_id)
  WHERE origin = 'bot' AND status IN ('queued', 'generating');
  CREATE INDEX job_chat_order ON job (account_id, created_at) WHERE origin = 'bot' AND order_index = 0;

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
  -- References have an index of their own, which sums of references must not leave.
  CREATE INDEX media_file_account ON media_file (account_id) WHERE removed_at IS NULL AND role <> 'reference';

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
    balance REAL, resume_asked_at INTEGER,
    CHECK ((state = 'paused') = (reason IS NOT NULL))
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE inbox (update_id INTEGER PRIMARY KEY, received_at INTEGER NOT NULL) STRICT;
  CREATE INDEX inbox_by_age ON inbox (received_at);

  -- Apart from the ids, so that its pages are free again as soon as updates are handled.
  CREATE TABLE inbox_pending (
    update_id INTEGER PRIMARY KEY,
    tries INTEGER NOT NULL DEFAULT 0,
    payload TEXT NOT NULL
  ) STRICT;

  CREATE TABLE outbox_message (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    chat_id INTEGER NOT NULL,
    thread_id INTEGER,
    payload TEXT NOT NULL,
    created_at INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE person (
    telegram_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    username TEXT COLLATE NOCASE,
    locale TEXT NOT NULL,
    first_seen_at INTEGER NOT NULL,
    last_seen_at INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX person_by_username ON person (username) WHERE username IS NOT NULL;

  CREATE TABLE dialog (key TEXT PRIMARY KEY, state TEXT NOT NULL, updated_at INTEGER NOT NULL)
  STRICT, WITHOUT ROWID;

  CREATE TABLE draft (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id INTEGER NOT NULL,
    chat_id INTEGER NOT NULL,
    thread_id INTEGER,
    message_id INTEGER,
    state TEXT NOT NULL CHECK (state IN ('composing', 'ordered', 'cancelled', 'replaced')),
    view TEXT NOT NULL,
    model_key TEXT,
    parameters TEXT NOT NULL,
    prompt_message_id INTEGER,
    revision INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    type TEXT NOT NULL DEFAULT 'image' CHECK (type IN ('image', 'video', 'music')),
    taken_message_id INTEGER,
    chosen TEXT NOT NULL DEFAULT '[]',
    picture_messages TEXT NOT NULL DEFAULT '{}',
    question_id INTEGER,
    refusals INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  -- A person has one card at a time in a chat.
  CREATE UNIQUE INDEX draft_composing ON draft (user_id, chat_id) WHERE state = 'composing';
  CREATE INDEX draft_closed ON draft (updated_at) WHERE state <> 'composing';
  CREATE INDEX draft_user ON draft (user_id);
  CREATE INDEX draft_unpaid ON draft (user_id, updated_at) WHERE state IN ('cancelled', 'replaced');
  CREATE INDEX draft_ordered ON draft (user_id, chat_id) WHERE state = 'ordered';

  CREATE TABLE last_parameters (
    user_id INTEGER NOT NULL,
    model_key TEXT NOT NULL,
    parameters TEXT NOT NULL,
    used_at INTEGER NOT NULL,
    PRIMARY KEY (user_id, model_key)
  ) STRICT, WITHOUT ROWID;

  -- Messages that show a secret, and when they are deleted.
  CREATE TABLE removal (
    chat_id INTEGER NOT NULL,
    message_id INTEGER NOT NULL,
    remove_at INTEGER NOT NULL,
    PRIMARY KEY (chat_id, message_id)
  ) STRICT, WITHOUT ROWID;

  -- The idempotency key is the command's own: it is asked about and applied once.
  CREATE TABLE asked_correction (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    idempotency_key TEXT NOT NULL UNIQUE,
    admin_id INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('credit', 'debit')),
    user_id INTEGER NOT NULL,
    kopecks INTEGER NOT NULL,
    reason TEXT,
    asked_at INTEGER NOT NULL
  ) STRICT;

  -- Episodes of services that an admin was told of, each in one message that is edited.
  CREATE TABLE told_pause (
    admin_id INTEGER NOT NULL,
    provider TEXT NOT NULL,
    message_id INTEGER,
    shown TEXT NOT NULL DEFAULT '',
    -- Since when the service is up again: the row is kept for the rest of its episode.
    up_since INTEGER,
    PRIMARY KEY (admin_id, provider)
  ) STRICT, WITHOUT ROWID;

  -- A number that was given once is never given again, also after a restore: buttons and people know it.
  CREATE TABLE "order" (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    draft_id INTEGER NOT NULL,
    user_id INTEGER NOT NULL,
    user_name TEXT NOT NULL,
    chat_id INTEGER NOT NULL,
    thread_id INTEGER,
    status_message_id INTEGER,
    model_title TEXT NOT NULL,
    request TEXT NOT NULL,
    quoted_kopecks INTEGER NOT NULL CHECK (quoted_kopecks >= 0),
    state TEXT NOT NULL
      CHECK (state IN ('claimed', 'accepted', 'delivering', 'closed', 'refused', 'uncertain')),
    job_ids TEXT NOT NULL,
    created_at INTEGER NOT NULL
  ) STRICT;
  -- Partial: few orders are open or uncertain, and writes of others skip the indexes.
  CREATE INDEX order_open ON "order" (state, created_at) WHERE state IN ('claimed', 'accepted');
  CREATE INDEX order_uncertain ON "order" (draft_id) WHERE state = 'uncertain';
  CREATE INDEX order_user ON "order" (user_id, created_at, id);

  CREATE TABLE order_job (
    job_id TEXT NOT NULL,
    order_id TEXT NOT NULL REFERENCES "order" (id),
    PRIMARY KEY (job_id, order_id)
  ) STRICT, WITHOUT ROWID;

  -- How far the chat has said that an order is.
  CREATE TABLE order_progress (
    order_id TEXT PRIMARY KEY,
    stage TEXT NOT NULL CHECK (stage IN ('queued', 'made')),
    since INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE order_take (
    order_id TEXT PRIMARY KEY,
    -- How many further takes were ordered with the button under its result.
    taken INTEGER NOT NULL,
    last_order_id TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- Orders that have ended while their status message does not say so yet: a few at a time.
  CREATE TABLE final_status (
    order_id TEXT PRIMARY KEY REFERENCES "order" (id),
    is_done INTEGER NOT NULL CHECK (is_done IN (0, 1))
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE delivery (
    order_id TEXT PRIMARY KEY REFERENCES "order" (id),
    user_id INTEGER NOT NULL,
    chat_id INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('pending', 'parked', 'sent', 'failed', 'expired')),
    attempts INTEGER NOT NULL,
    next_try_at INTEGER NOT NULL,
    outcome TEXT,
    files TEXT NOT NULL,
    originals TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    ended_at INTEGER,
    upload_failures TEXT NOT NULL DEFAULT '[]'
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX delivery_open ON delivery (state, user_id) WHERE state IN ('pending', 'parked');
  -- What admins look into: deliveries that ended without reaching their person.
  CREATE INDEX delivery_lost ON delivery (ended_at) WHERE state IN ('failed', 'expired');

  -- Deliveries that expired while their person could not be reached, offered when the person is back.
  CREATE TABLE delivery_offer (
    order_id TEXT PRIMARY KEY REFERENCES "order" (id),
    user_id INTEGER NOT NULL,
    offered_at INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX delivery_offer_user ON delivery_offer (user_id, offered_at);

  -- Messages that show a result: a reply to one names the result.
  CREATE TABLE delivered_message (
    chat_id INTEGER NOT NULL,
    message_id INTEGER NOT NULL,
    order_id TEXT NOT NULL REFERENCES "order" (id),
    job_index INTEGER NOT NULL,
    track INTEGER NOT NULL,
    PRIMARY KEY (chat_id, message_id)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE uncertain_record (
    -- The id that admins type.
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    order_id TEXT NOT NULL UNIQUE REFERENCES "order" (id),
    created_at INTEGER NOT NULL,
    balance_before_kopecks INTEGER,
    balance_after_kopecks INTEGER,
    -- What the person has not been told yet.
    person_news TEXT CHECK (person_news IN ('uncertain', 'charged', 'not_charged')),
    told_admin_ids TEXT NOT NULL,
    -- Until when the submission is repeated.
    repeated_until INTEGER
  ) STRICT;
  CREATE INDEX uncertain_record_news ON uncertain_record (order_id) WHERE person_news IS NOT NULL;

  CREATE TABLE spending_limit (
    user_id INTEGER PRIMARY KEY,
    kopecks INTEGER NOT NULL CHECK (kopecks >= 0),
    set_by INTEGER NOT NULL,
    set_at INTEGER NOT NULL
  ) STRICT;

  -- By the month ('2026-11') in which an order was confirmed.
  CREATE TABLE spending_total (
    user_id INTEGER NOT NULL,
    month TEXT NOT NULL,
    kopecks INTEGER NOT NULL CHECK (kopecks >= 0),
    PRIMARY KEY (user_id, month)
  ) STRICT, WITHOUT ROWID;
  CREATE TRIGGER spending_total_begins_with_entry BEFORE INSERT ON spending_total
  WHEN NEW.kopecks IS NOT (SELECT total_after FROM spending_entry
    WHERE user_id = NEW.user_id AND month = NEW.month ORDER BY id DESC LIMIT 1)
  BEGIN SELECT RAISE(ABORT, 'a total changes only with a spending entry'); END;
  CREATE TRIGGER spending_total_is_last_entry BEFORE UPDATE ON spending_total
  WHEN NEW.kopecks IS NOT (SELECT total_after FROM spending_entry
    WHERE user_id = NEW.user_id AND month = NEW.month ORDER BY id DESC LIMIT 1)
  BEGIN SELECT RAISE(ABORT, 'a total changes only with a spending entry'); END;
  CREATE TRIGGER spending_total_not_deleted BEFORE DELETE ON spending_total
  BEGIN SELECT RAISE(ABORT, 'totals of spending are never deleted'); END;

  CREATE TABLE spending_entry (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id INTEGER NOT NULL,
    month TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('charge', 'correction', 'refund')),
    amount INTEGER NOT NULL,
    total_after INTEGER NOT NULL,
    order_id TEXT NOT NULL REFERENCES "order" (id),
    created_at INTEGER NOT NULL,
    CHECK (CASE kind WHEN 'charge' THEN amount >= 0 WHEN 'refund' THEN amount < 0 ELSE amount <> 0 END)
  ) STRICT;
  CREATE INDEX spending_entry_order ON spending_entry (order_id);
  -- An order is charged once.
  CREATE UNIQUE INDEX spending_entry_charge ON spending_entry (order_id) WHERE kind = 'charge';
  CREATE INDEX spending_entry_month ON spending_entry (user_id, month, id);
  -- Triggers keep the rule whoever writes: only an entry changes a total, and entries never change.
  CREATE TRIGGER spending_entry_continues BEFORE INSERT ON spending_entry
  WHEN NEW.total_after IS NOT NEW.amount + coalesce(
    (SELECT kopecks FROM spending_total WHERE user_id = NEW.user_id AND month = NEW.month), 0)
  BEGIN SELECT RAISE(ABORT, 'a spending entry must continue the total'); END;
  CREATE TRIGGER spending_entry_moves_total AFTER INSERT ON spending_entry
  BEGIN
    INSERT INTO spending_total (user_id, month, kopecks) VALUES (NEW.user_id, NEW.month, NEW.total_after)
    ON CONFLICT (user_id, month) DO UPDATE SET kopecks = excluded.kopecks;
  END;
  CREATE TRIGGER spending_entry_not_edited BEFORE UPDATE ON spending_entry
  BEGIN SELECT RAISE(ABORT, 'spending entries are never edited'); END;
  CREATE TRIGGER spending_entry_not_deleted BEFORE DELETE ON spending_entry
  BEGIN SELECT RAISE(ABORT, 'spending entries are never deleted'); END;

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

  CREATE TABLE till_invoice (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    till TEXT NOT NULL,
    ref TEXT NOT NULL,
    account_id INTEGER NOT NULL REFERENCES account(id),
    price INTEGER NOT NULL CHECK (price > 0),
    kopecks INTEGER NOT NULL CHECK (kopecks > 0),
    state TEXT NOT NULL CHECK (state IN ('open', 'paid', 'closed')),
    made_at INTEGER NOT NULL,
    message_id INTEGER,
    UNIQUE (till, ref)
  ) STRICT;
  CREATE INDEX till_invoice_open ON till_invoice(account_id, id) WHERE state = 'open';
  CREATE INDEX till_invoice_unpaid ON till_invoice(made_at) WHERE state <> 'paid';
  -- Messages that still offer to pay what has ended.
  CREATE INDEX till_invoice_ended ON till_invoice(till, id) WHERE message_id IS NOT NULL AND state <> 'open';

  CREATE TABLE till_payment (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    till TEXT NOT NULL,
    charge_id TEXT NOT NULL,
    invoice_id INTEGER REFERENCES till_invoice(id) ON DELETE SET NULL,
    account_id INTEGER REFERENCES account(id),
    payer TEXT,
    price INTEGER NOT NULL,
    kopecks INTEGER CHECK (kopecks > 0),
    state TEXT NOT NULL CHECK (state IN ('credited', 'unmatched', 'refunding', 'refunded')),
    paid_at INTEGER NOT NULL,
    told_at INTEGER,
    refund_tries INTEGER NOT NULL DEFAULT 0,
    owed_kopecks INTEGER NOT NULL DEFAULT 0 CHECK (owed_kopecks >= 0),
    currency TEXT,
    returned INTEGER NOT NULL DEFAULT 0 CHECK (returned BETWEEN 0 AND price),
    told_returned INTEGER CHECK (told_returned BETWEEN 0 AND price),
    UNIQUE (till, charge_id),
    CHECK (state <> 'credited' OR (account_id IS NOT NULL AND kopecks IS NOT NULL))
  ) STRICT;
  CREATE INDEX till_payment_account ON till_payment(account_id, id) WHERE account_id IS NOT NULL;
  CREATE INDEX till_payment_invoice ON till_payment(invoice_id) WHERE invoice_id IS NOT NULL;
  CREATE INDEX till_payment_charge ON till_payment(charge_id);
  CREATE INDEX till_payment_refunding ON till_payment(till, id) WHERE state = 'refunding';
  CREATE INDEX till_payment_unmatched ON till_payment(till, id) WHERE state = 'unmatched';
  CREATE INDEX till_payment_untold ON till_payment(till, id) WHERE state = 'credited' AND told_at IS NULL;
  CREATE INDEX till_payment_return_untold ON till_payment(till, id) WHERE told_returned IS NOT NULL;
  CREATE TRIGGER till_payment_no_delete BEFORE DELETE ON till_payment
  BEGIN SELECT RAISE(ABORT, 'payments are never deleted'); END;
  CREATE TRIGGER till_payment_identity BEFORE UPDATE OF till, charge_id, price ON till_payment
  BEGIN SELECT RAISE(ABORT, 'what a till reported is never edited'); END;
  CREATE TRIGGER till_payment_currency BEFORE UPDATE OF currency ON till_payment
  BEGIN SELECT RAISE(ABORT, 'what a till reported is never edited'); END;

  CREATE TABLE till_debt (
    account_id INTEGER PRIMARY KEY REFERENCES account(id),
    kopecks INTEGER NOT NULL CHECK (kopecks >= 0)
  ) STRICT;

  -- What became a debt is in no entry of the ledger.
  CREATE TABLE till_debt_entry (
    id INTEGER PRIMARY KEY,
    amount INTEGER NOT NULL,
    reason TEXT,
    actor TEXT NOT NULL,
    created_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX till_debt_entry_time ON till_debt_entry (created_at);
  CREATE TRIGGER till_debt_entry_not_edited BEFORE UPDATE ON till_debt_entry
  BEGIN SELECT RAISE(ABORT, 'entries of debts are never edited'); END;
  CREATE TRIGGER till_debt_entry_not_deleted BEFORE DELETE ON till_debt_entry
  BEGIN SELECT RAISE(ABORT, 'entries of debts are never deleted'); END;

  CREATE TABLE admin (
    user_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    added_at INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE erasure (
    account_id INTEGER PRIMARY KEY REFERENCES account(id),
    actor TEXT NOT NULL,
    asked_at INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE ledger_month (
    account_id INTEGER NOT NULL REFERENCES account (id),
    month TEXT NOT NULL,
    kind TEXT NOT NULL,
    amount INTEGER NOT NULL,
    PRIMARY KEY (account_id, month, kind)
  ) STRICT, WITHOUT ROWID;

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

  CREATE TABLE restored_backup (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  made_at INTEGER NOT NULL,
  restored_at INTEGER NOT NULL,
  -- The newest job in it.
  last_job_id INTEGER NOT NULL,
  open_attempts INTEGER NOT NULL,
  -- Attempts that were sent after it; NULL where the data of before could not be read.
    lost_attempts INTEGER
  ) STRICT;

  CREATE TABLE offers_reload (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    asked_at INTEGER NOT NULL,
    answered_at INTEGER,
    problem TEXT,
    what TEXT NOT NULL DEFAULT 'offers' CHECK (what IN ('offers', 'moderation'))
  ) STRICT;

  CREATE TABLE event_notice (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    notice TEXT NOT NULL CHECK (json_valid(notice)),
    is_sending INTEGER NOT NULL DEFAULT 0 CHECK (is_sending IN (0, 1))
  ) STRICT;

  CREATE TABLE event_message (id INTEGER PRIMARY KEY, sent_at INTEGER NOT NULL) STRICT;

  CREATE TABLE event_chat (
    chat_id INTEGER PRIMARY KEY,
    moved_to INTEGER,
    lost_since INTEGER
  ) STRICT;

  CREATE TABLE daily_report (day TEXT PRIMARY KEY, made_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;

  CREATE TABLE broadcast (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    admin_id INTEGER NOT NULL,
    message_id INTEGER NOT NULL,
    screen_id INTEGER,
    audience TEXT NOT NULL CHECK (json_valid(audience)),
    state TEXT NOT NULL CHECK (state IN ('composing', 'running', 'stopped', 'done', 'cancelled')),
    revision INTEGER NOT NULL,
    total INTEGER NOT NULL,
    sent INTEGER NOT NULL,
    blocked INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    last_user_id INTEGER NOT NULL,
    waits_until INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    started_at INTEGER,
    ended_at INTEGER,
    UNIQUE (admin_id, message_id)
  ) STRICT;
  CREATE INDEX broadcast_running ON broadcast (id) WHERE state = 'running';

  CREATE TABLE broadcast_recipient (
    broadcast_id INTEGER NOT NULL REFERENCES broadcast (id),
    user_id INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('claimed', 'sent', 'blocked', 'failed')),
    PRIMARY KEY (broadcast_id, user_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX broadcast_recipient_user ON broadcast_recipient (user_id);

  CREATE TABLE news_opt_out (user_id INTEGER PRIMARY KEY) STRICT;

  CREATE TABLE model_override (
    model_key TEXT PRIMARY KEY,
    is_off INTEGER NOT NULL CHECK (is_off IN (0, 1)),
    note TEXT,
    changed_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE promo_code (
    -- In capitals.
    code TEXT PRIMARY KEY,
    kopecks INTEGER NOT NULL CHECK (kopecks > 0),
    uses INTEGER NOT NULL CHECK (uses BETWEEN 0 AND uses_max),
    uses_max INTEGER NOT NULL CHECK (uses_max > 0),
    valid_until INTEGER NOT NULL,
    created_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE promo_use (
    code TEXT NOT NULL REFERENCES promo_code (code),
    account_id INTEGER NOT NULL REFERENCES account (id),
    at INTEGER NOT NULL,
    PRIMARY KEY (code, account_id)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE promo_try (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    account_id INTEGER NOT NULL REFERENCES account (id),
    at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX promo_try_account ON promo_try (account_id, at);

  CREATE TABLE consent (
    account_id INTEGER NOT NULL REFERENCES account(id),
    document TEXT NOT NULL,
    version TEXT NOT NULL,
    agreed_at INTEGER NOT NULL,
    PRIMARY KEY (account_id, document, version)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE star_count (
    bot_id INTEGER PRIMARY KEY,
    foreign_count INTEGER NOT NULL,
    read_count INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE welcome_credit (
    account_id INTEGER PRIMARY KEY REFERENCES account (id),
    kopecks INTEGER NOT NULL CHECK (kopecks > 0),
    state TEXT NOT NULL CHECK (state IN ('given', 'offered', 'taken')),
    at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX welcome_credit_given ON welcome_credit (at) WHERE state = 'given';

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
    told_at INTEGER,
    payment_id INTEGER REFERENCES till_payment (id),
    rewards INTEGER NOT NULL DEFAULT 0,
    taken_back_at INTEGER,
    inviter_owed_kopecks INTEGER NOT NULL DEFAULT 0 CHECK (inviter_owed_kopecks >= 0),
    invited_owed_kopecks INTEGER NOT NULL DEFAULT 0 CHECK (invited_owed_kopecks >= 0)
  ) STRICT;
  CREATE INDEX invite_inviter ON invite (inviter_id, rewarded_at);
  CREATE INDEX invite_newest ON invite (at, invited_id);
  CREATE INDEX invite_untold ON invite (rewarded_at) WHERE rewarded_at IS NOT NULL AND told_at IS NULL;

  CREATE TABLE support_topic (
    chat_id INTEGER NOT NULL,
    thread_id INTEGER NOT NULL,
    user_id INTEGER,
    is_closed INTEGER NOT NULL DEFAULT 0 CHECK (is_closed IN (0, 1)),
    PRIMARY KEY (chat_id, thread_id)
  ) STRICT;
  CREATE UNIQUE INDEX support_topic_user ON support_topic (user_id, chat_id) WHERE user_id IS NOT NULL;
  CREATE INDEX support_topic_forgotten ON support_topic (chat_id) WHERE user_id IS NULL;

  CREATE TABLE support_ticket (
    id INTEGER PRIMARY KEY,
    user_id INTEGER NOT NULL,
    message_id INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('question', 'payment')),
    album TEXT,
    created_at INTEGER NOT NULL,
    sent_at INTEGER,
    UNIQUE (user_id, message_id)
  ) STRICT;
  CREATE INDEX support_ticket_user ON support_ticket (user_id, created_at);
  CREATE INDEX support_ticket_waiting ON support_ticket (id) WHERE sent_at IS NULL;
  CREATE INDEX support_ticket_sent ON support_ticket (sent_at);

  CREATE TABLE support_copy (
    chat_id INTEGER NOT NULL,
    message_id INTEGER NOT NULL,
    thread_id INTEGER,
    user_id INTEGER,
    asked_id INTEGER,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (chat_id, message_id)
  ) STRICT;
  CREATE INDEX support_copy_user ON support_copy (user_id);
  CREATE INDEX support_copy_age ON support_copy (created_at);

  CREATE TABLE support_answer (
    chat_id INTEGER NOT NULL,
    message_id INTEGER NOT NULL,
    user_id INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    sent_id INTEGER,
    PRIMARY KEY (chat_id, message_id)
  ) STRICT;
  CREATE INDEX support_answer_user ON support_answer (user_id, sent_id);
  CREATE INDEX support_answer_age ON support_answer (created_at);

  CREATE TABLE yookassa_payment (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    invoice_ref TEXT NOT NULL UNIQUE,
    kopecks INTEGER NOT NULL CHECK (kopecks > 0),
    idempotence_key TEXT NOT NULL UNIQUE,
    state TEXT NOT NULL CHECK (state IN ('sending', 'open', 'taken', 'ended')),
    payment_id TEXT UNIQUE,
    url TEXT,
    made_at INTEGER NOT NULL,
    due_at INTEGER NOT NULL,
    refunded_kopecks INTEGER NOT NULL DEFAULT 0 CHECK (refunded_kopecks >= 0),
    CHECK (state NOT IN ('open', 'taken') OR payment_id IS NOT NULL)
  ) STRICT;
  CREATE INDEX yookassa_payment_due ON yookassa_payment(due_at) WHERE state = 'open';
  CREATE TRIGGER yookassa_payment_key BEFORE UPDATE OF invoice_ref, kopecks, idempotence_key ON yookassa_payment
  BEGIN SELECT RAISE(ABORT, 'a key belongs to one payment'); END;

  CREATE TABLE yookassa_refund (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    payment_id TEXT NOT NULL,
    kopecks INTEGER NOT NULL CHECK (kopecks > 0),
    idempotence_key TEXT NOT NULL UNIQUE,
    state TEXT NOT NULL CHECK (state IN ('open', 'done', 'refused')),
    refund_id TEXT UNIQUE,
    made_at INTEGER NOT NULL,
    -- Of the refund of a rest, until the refund has ended. It names where the receipt goes.
    receipt TEXT
  ) STRICT;
  CREATE UNIQUE INDEX yookassa_refund_open ON yookassa_refund(payment_id) WHERE state = 'open';

  CREATE TABLE yookassa_look (
    shop_id TEXT PRIMARY KEY,
    seen_at INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE receipt_contact (
    user_id INTEGER PRIMARY KEY,
    contact TEXT NOT NULL,
    changed_at INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE admin_notice (
    id INTEGER PRIMARY KEY,
    topic TEXT UNIQUE,
    content TEXT,
    notice TEXT,
    at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX admin_notice_waiting ON admin_notice (id) WHERE notice IS NOT NULL;

  -- Sums over all rows, kept by triggers: whoever asks for them reads no rows.
  CREATE TABLE ledger_total (kind TEXT PRIMARY KEY, amount INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TRIGGER ledger_entry_moves_total AFTER INSERT ON ledger_entry
  BEGIN
    INSERT INTO ledger_total (kind, amount) VALUES (NEW.kind, NEW.amount)
    ON CONFLICT (kind) DO UPDATE SET amount = amount + excluded.amount;
  END;

  CREATE TABLE job_total (
    model_key TEXT NOT NULL,
    provider TEXT NOT NULL,
    jobs INTEGER NOT NULL,
    charged_kopecks INTEGER NOT NULL,
    refunded_kopecks INTEGER NOT NULL,
    PRIMARY KEY (model_key, provider)
  ) STRICT, WITHOUT ROWID;
  CREATE TRIGGER job_new_moves_total AFTER INSERT ON job BEGIN ${addJob("NEW", "")} END;
  CREATE TRIGGER job_moves_total AFTER UPDATE OF provider, cost, is_refunded, paid_back_at ON job
  WHEN OLD.provider <> NEW.provider OR OLD.cost <> NEW.cost OR ${isReturned("OLD")} <> ${isReturned("NEW")}
  BEGIN ${addJob("OLD", "-")} ${addJob("NEW", "")} END;

  CREATE TABLE cost_total (
    model_key TEXT NOT NULL,
    provider TEXT NOT NULL,
    -- Empty for costs that nobody knows.
    cost_currency TEXT NOT NULL,
    cost_amount REAL NOT NULL,
    attempts INTEGER NOT NULL,
    PRIMARY KEY (model_key, provider, cost_currency)
  ) STRICT, WITHOUT ROWID;
  CREATE TRIGGER attempt_new_moves_total AFTER INSERT ON attempt WHEN ${isCounted("NEW")}
  BEGIN ${addCost("NEW", "")} END;
  CREATE TRIGGER attempt_moves_total AFTER UPDATE OF state, flagged, cost_amount, cost_currency ON attempt
  WHEN ${isCounted("OLD")} <> ${isCounted("NEW")} OR OLD.cost_amount IS NOT NEW.cost_amount
    OR OLD.cost_currency IS NOT NEW.cost_currency
  BEGIN ${addCost("OLD", "-")} ${addCost("NEW", "")} END;
`;

/** Lists every migration. A migration's position is its permanent number. */
export const MIGRATIONS: readonly Migration[] = [
  {
    name: "baseline",
    sql: SCHEMA,
    replaces: {
      number: 9,
      checksum: "9997671fcbf9fea769c3f5d5f636ab96ffcbc8cfc977129c0dbe45e7a11356a0",
      commit: "3d72bae55c",
    },
  },
];
