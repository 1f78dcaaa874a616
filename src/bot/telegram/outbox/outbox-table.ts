import type { Generated, Selectable } from "kysely";
import { prepare } from "../../../database/prepared.js";
import { qb } from "../../../database/schema.js";
import type { Integer } from "../../../platform/integer.js";

interface OutboxTable {
  id: Generated<number>;
  chat_id: number;
  thread_id: number | null;
  /** JSON of `OutboxMessage`. */
  payload: string;
  created_at: Integer;
}
export type OutboxRow = Selectable<OutboxTable>;

declare module "../../../database/schema.js" {
  interface Schema {
    outbox_message: OutboxTable;
  }
}

export const insertOutboxRow = prepare<Omit<OutboxRow, "id">>((p) =>
  qb.insertInto("outbox_message").values({
    chat_id: p.chat_id,
    thread_id: p.thread_id,
    payload: p.payload,
    created_at: p.created_at,
  }),
);
export const selectOutboxChats = prepare<object, Pick<OutboxRow, "chat_id">>(() =>
  qb.selectFrom("outbox_message").select("chat_id").distinct(),
);
export const firstOutboxRow = prepare<{ chat_id: number }, OutboxRow>((p) =>
  qb.selectFrom("outbox_message").selectAll().where("chat_id", "=", p.chat_id).orderBy("id").limit(1),
);
export const deleteOutboxRow = prepare<{ id: number }>((p) =>
  qb.deleteFrom("outbox_message").where("id", "=", p.id),
);
