import type { Migration } from "../migrate.js";

/** Adds what people pay with: invoices, payments, and the debts of refunds that balances could not pay. */
export const till: Migration = {
  name: "till",
  sql: `
    CREATE TABLE till_invoice (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      till TEXT NOT NULL,
      ref TEXT NOT NULL,
      account_id INTEGER NOT NULL REFERENCES account(id),
      price INTEGER NOT NULL CHECK (price > 0),
      kopecks INTEGER NOT NULL CHECK (kopecks > 0),
      state TEXT NOT NULL CHECK (state IN ('open', 'paid', 'closed')),
      made_at INTEGER NOT NULL,
      UNIQUE (till, ref)
    ) STRICT;
    CREATE INDEX till_invoice_open ON till_invoice(account_id, id) WHERE state = 'open';
    CREATE INDEX till_invoice_unpaid ON till_invoice(made_at) WHERE state <> 'paid';

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
      UNIQUE (till, charge_id),
      CHECK (state <> 'credited' OR (account_id IS NOT NULL AND kopecks IS NOT NULL))
    ) STRICT;
    CREATE INDEX till_payment_account ON till_payment(account_id, id) WHERE account_id IS NOT NULL;
    CREATE INDEX till_payment_invoice ON till_payment(invoice_id) WHERE invoice_id IS NOT NULL;
    CREATE INDEX till_payment_charge ON till_payment(charge_id);
    CREATE INDEX till_payment_refunding ON till_payment(till, id) WHERE state = 'refunding';
    CREATE INDEX till_payment_unmatched ON till_payment(till, id) WHERE state = 'unmatched';
    CREATE INDEX till_payment_untold ON till_payment(till, id) WHERE state = 'credited' AND told_at IS NULL;
    CREATE TRIGGER till_payment_no_delete BEFORE DELETE ON till_payment
      BEGIN SELECT RAISE(ABORT, 'payments are never deleted'); END;
    CREATE TRIGGER till_payment_identity BEFORE UPDATE OF till, charge_id, price ON till_payment
      BEGIN SELECT RAISE(ABORT, 'what a till reported is never edited'); END;

    CREATE TABLE till_debt (
      account_id INTEGER PRIMARY KEY REFERENCES account(id),
      kopecks INTEGER NOT NULL CHECK (kopecks >= 0)
    ) STRICT;
  `,
};
