import type { Migration } from "../migrate.js";

/**
 * What each person spends of a shared account, by the month (`2026-11`) in which an order was confirmed.
 * Triggers enforce the rules: only an entry changes a total, and entries never change.
 */
export const spending: Migration = {
  name: "spending",
  sql: `
    CREATE TABLE spending_limit (
      user_id INTEGER PRIMARY KEY,
      kopecks INTEGER NOT NULL CHECK (kopecks >= 0),
      set_by INTEGER NOT NULL,
      set_at INTEGER NOT NULL
    ) STRICT;
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
    CREATE UNIQUE INDEX spending_entry_charge ON spending_entry (order_id) WHERE kind = 'charge';
    CREATE INDEX spending_entry_month ON spending_entry (user_id, month, id);

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
  `,
};
