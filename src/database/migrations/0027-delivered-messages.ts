import type { Migration } from "../migrate.js";

/** Contains the messages of the deliveries that were stored before this table. */
export const deliveredMessages: Migration = {
  name: "delivered-messages",
  sql: `
    CREATE TABLE delivered_message (
      chat_id INTEGER NOT NULL,
      message_id INTEGER NOT NULL,
      order_id TEXT NOT NULL REFERENCES "order" (id),
      job_index INTEGER NOT NULL,
      track INTEGER NOT NULL,
      PRIMARY KEY (chat_id, message_id)
    ) STRICT, WITHOUT ROWID;
    INSERT OR IGNORE INTO delivered_message
      SELECT chat_id, file.value ->> 'messageId', order_id, file.value ->> 'index',
        COALESCE(file.value ->> 'track', 0)
      FROM delivery, json_each(delivery.files) AS file;
  `,
};
