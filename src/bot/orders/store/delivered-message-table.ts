import { prepare } from "../../../database/prepared.js";
import { qb } from "../../../database/schema.js";

/** A message that shows a result: a reply to it names the result. */
interface DeliveredMessageRow {
  chat_id: number;
  message_id: number;
  order_id: string;
  job_index: number;
  track: number;
}

declare module "../../../database/schema.js" {
  interface Schema {
    delivered_message: DeliveredMessageRow;
  }
}

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
