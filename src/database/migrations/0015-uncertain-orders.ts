import type { Migration } from "../migrate.js";

/** A partial index: uncertain orders are few, and writes of other orders skip it. */
export const uncertainOrders: Migration = {
  name: "uncertain-orders",
  sql: `CREATE INDEX order_uncertain ON "order" (draft_id) WHERE state = 'uncertain';`,
};
