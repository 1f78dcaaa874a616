export const ACCOUNTS = `
  CREATE TABLE account (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT,
    balance INTEGER NOT NULL DEFAULT 0 CHECK (balance BETWEEN 0 AND 9007199254740991),
    created_at INTEGER NOT NULL
  ) STRICT;

  -- An account does not know its person: a front-end does, by \`kind\`.
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

  CREATE TRIGGER account_starts_empty BEFORE INSERT ON account WHEN NEW.balance <> 0
  BEGIN SELECT RAISE(ABORT, 'a balance changes only with a ledger entry'); END;

  CREATE TRIGGER account_balance_is_last_entry BEFORE UPDATE OF balance ON account
  WHEN NEW.balance IS NOT
    (SELECT balance_after FROM ledger_entry WHERE account_id = NEW.id ORDER BY id DESC LIMIT 1)
  BEGIN SELECT RAISE(ABORT, 'a balance changes only with a ledger entry'); END;
`;
