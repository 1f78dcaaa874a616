import type { Migration } from "../migrate.js";

/** How far the chat has said that an order is, and which further takes of a result were ordered. */
export const orderProgress: Migration = {
  name: "order-progress",
  sql: `
    CREATE TABLE order_progress (
      order_id TEXT PRIMARY KEY,
      stage TEXT NOT NULL CHECK (stage IN ('queued', 'made')),
      -- In ms since the epoch.
      since INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE order_take (
      order_id TEXT PRIMARY KEY,
      -- How many further takes were ordered with the button under its result.
      taken INTEGER NOT NULL,
      last_order_id TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
  `,
};
