import type { Migration } from "../../../database/migrations.js";
import { prepare, queryBuilder } from "../../../database/prepared.js";

/** A message that shows a result: a reply to it names the result. */
interface DeliveredMessageRow {
  chat_id: number;
  message_id: number;
  order_id: string;
  job_index: number;
  track: number;
}

/** Contains the messages of the deliveries that were stored before this table. */
export const DELIVERED_MESSAGES_MIGRATION: Migration = {
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

const qb = queryBuilder<{ delivered_message: DeliveredMessageRow }>();

export const insertDeliveredMessage = prepare<DeliveredMessageRow>((p) =>
  qb
    .insertInto("delivered_message")
    .values({
      chat_id: p.chat_id,
      message_id: p.message_id,
      order_id: p.order_id,
      job_index: p.job_index,
      track: p.track,
    })
    .onConflict((conflict) => conflict.doNothing()),
);
export const deliveredMessage = prepare<{ chat_id: number; message_id: number }, DeliveredMessageRow>((p) =>
  qb
    .selectFrom("delivered_message")
    .selectAll()
    .where("chat_id", "=", p.chat_id)
    .where("message_id", "=", p.message_id),
);
