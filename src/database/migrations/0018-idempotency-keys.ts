import type { Migration } from "../migrate.js";

export const idempotencyKeys: Migration = {
  name: "idempotency-keys",
  sql: `
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
  `,
};
