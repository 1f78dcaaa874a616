import { prepare } from "../../../database/prepared.js";
import { qb } from "../../../database/schema.js";
import type { Integer } from "../../../platform/integer.js";

export interface Removal {
  chat_id: number;
  message_id: number;
  /** Milliseconds since the epoch. */
  remove_at: Integer;
}

declare module "../../../database/schema.js" {
  interface Schema {
    removal: Removal;
  }
}

export const insertRemoval = prepare<Removal>((p) =>
  qb
    .insertInto("removal")
    .values({ chat_id: p.chat_id, message_id: p.message_id, remove_at: p.remove_at })
    .onConflict((conflict) => conflict.doNothing()),
);
export const selectRemovals = prepare<object, Removal>(() =>
  qb.selectFrom("removal").selectAll().orderBy("remove_at"),
);
export const deleteRemoval = prepare<{ chat_id: number; message_id: number }>((p) =>
  qb.deleteFrom("removal").where("chat_id", "=", p.chat_id).where("message_id", "=", p.message_id),
);
