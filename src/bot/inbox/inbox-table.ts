import { sql } from "kysely";
import { prepare } from "../../database/prepared.js";
import { qb } from "../../database/schema.js";
import type { Integer } from "../../platform/integer.js";

interface InboxRow {
  update_id: number;
  received_at: Integer;
}

export interface PendingRow {
  update_id: number;
  tries: number;
  /** JSON, sealed where the service has an encryption key. */
  payload: string;
}

declare module "../../database/schema.js" {
  interface Schema {
    inbox: InboxRow;
    inbox_pending: PendingRow;
  }
}

export const remember = prepare<InboxRow>((p) =>
  qb
    .insertInto("inbox")
    .values({ update_id: p.update_id, received_at: p.received_at })
    .onConflict((conflict) => conflict.column("update_id").doNothing()),
);
export const insertPending = prepare<{ update_id: number; payload: string }>((p) =>
  qb.insertInto("inbox_pending").values({ update_id: p.update_id, tries: 0, payload: p.payload }),
);
export const pending = prepare<object, PendingRow>(() =>
  qb
    .selectFrom("inbox_pending")
    .innerJoin("inbox", "inbox.update_id", "inbox_pending.update_id")
    .select(["payload", "tries", "inbox.update_id"])
    .orderBy("received_at")
    .orderBy("inbox.update_id"),
);
export const pendingById = prepare<{ update_id: number }, PendingRow>((p) =>
  qb.selectFrom("inbox_pending").selectAll().where("update_id", "=", p.update_id),
);
export const setPayload = prepare<{ update_id: number; payload: string }>((p) =>
  qb.updateTable("inbox_pending").set({ payload: p.payload }).where("update_id", "=", p.update_id),
);
export const countTry = prepare<{ update_id: number }>((p) =>
  qb
    .updateTable("inbox_pending")
    .set((eb) => ({ tries: eb("tries", "+", 1) }))
    .where("update_id", "=", p.update_id),
);
/** Takes the ids as a JSON array. */
export const uncountTry = prepare<{ ids: string }>((p) =>
  qb
    .updateTable("inbox_pending")
    .set((eb) => ({ tries: eb("tries", "-", 1) }))
    .where("tries", ">", 0)
    .where("update_id", "in", idsOf(p.ids)),
);
/** Takes the ids as a JSON array. */
export const finish = prepare<{ ids: string }>((p) =>
  qb.deleteFrom("inbox_pending").where("update_id", "in", idsOf(p.ids)),
);
/** Drops what waits: in a restored backup it may have been handled since. */
export const finishAll = prepare<object>(() => qb.deleteFrom("inbox_pending"));
export const forget = prepare<{ before: Integer }>((p) =>
  qb
    .deleteFrom("inbox")
    .where("received_at", "<", p.before)
    .where("update_id", "not in", qb.selectFrom("inbox_pending").select("update_id")),
);

function idsOf(json: unknown) {
  return sql<number>`(SELECT value FROM json_each(${json}))`;
}
