import type { Migration } from "../migrate.js";

/** Finds what a person of the chat has in work, and ordered lately. */
export const orderLimits: Migration = {
  name: "order-limits",
  sql: `
    CREATE INDEX job_chat_unfinished ON job (account_id, order_id)
      WHERE origin = 'bot' AND status IN ('queued', 'generating');
    CREATE INDEX job_chat_order ON job (account_id, created_at) WHERE origin = 'bot' AND order_index = 0;
  `,
};
