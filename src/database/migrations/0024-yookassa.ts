import type { Migration } from "../migrate.js";

/** Adds the payments and refunds that are asked for at YooKassa, and where receipts go. */
export const yookassa: Migration = {
  name: "yookassa",
  sql: `
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
      made_at INTEGER NOT NULL
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
  `,
};
