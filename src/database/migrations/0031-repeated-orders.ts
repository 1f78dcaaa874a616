import type { Migration } from "../migrate.js";

/** Until when the submission of an uncertain order is repeated, in ms since the epoch. */
export const repeatedOrders: Migration = {
  name: "repeated-orders",
  sql: "ALTER TABLE uncertain_record ADD COLUMN repeated_until INTEGER;",
};
