import type { Migration } from "../migrate.js";

/**
 * `repeated_until`: until when the submission of an uncertain order is repeated, in ms since the epoch.
 * `sent_to`: a hash of the service and key that a submission was sent to.
 */
export const repeatedOrders: Migration = {
  name: "repeated-orders",
  sql: `
    ALTER TABLE uncertain_record ADD COLUMN repeated_until INTEGER;
    ALTER TABLE remote_submission ADD COLUMN sent_to TEXT;
  `,
};
