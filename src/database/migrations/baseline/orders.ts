export const ORDERS = `
  CREATE TABLE "order" (
    id TEXT PRIMARY KEY,
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
  ) STRICT, WITHOUT ROWID;
  -- Partial: few orders are open or uncertain, and writes of others skip the indexes.
  CREATE INDEX order_open ON "order" (state, created_at) WHERE state IN ('claimed', 'accepted');
  CREATE INDEX order_uncertain ON "order" (draft_id) WHERE state = 'uncertain';

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
    number INTEGER PRIMARY KEY,
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
  -- By the month (\`2026-11\`) in which an order was confirmed.
  CREATE TABLE spending_total (
    user_id INTEGER NOT NULL,
    month TEXT NOT NULL,
    kopecks INTEGER NOT NULL CHECK (kopecks >= 0),
    PRIMARY KEY (user_id, month)
  ) STRICT, WITHOUT ROWID;
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
`;
