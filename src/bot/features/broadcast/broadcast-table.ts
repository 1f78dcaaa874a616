import { type Generated, type Selectable, sql } from "kysely";
import { prepare } from "../../../database/prepared.js";
import { qb } from "../../../database/schema.js";
import type { Transaction } from "../../../database/transaction.js";
import type { Integer } from "../../../platform/integer.js";

/** `composing`: not confirmed yet; `stopped`: by an admin, and may go on. */
export type BroadcastState = "composing" | "running" | "stopped" | "done" | "cancelled";
/** `claimed`: it may have been sent, and is never sent again. */
export type RecipientState = "claimed" | "sent" | "blocked" | "failed";

interface BroadcastTable {
  id: Generated<number>;
  admin_id: number;
  /** The message that is copied, in the chat with the admin. */
  message_id: number;
  /** The message that shows its progress. */
  screen_id: number | null;
  /** JSON of `BroadcastAudience`. */
  audience: string;
  state: BroadcastState;
  /** Changes with each change of the audience, so that an old button does nothing. */
  revision: number;
  /** How many people it was for when it began. */
  total: number;
  sent: number;
  blocked: number;
  failed: number;
  /** The last person who was claimed. */
  last_user_id: number;
  /** Milliseconds since the epoch before which nothing is sent: Telegram asked for a pause. */
  waits_until: Integer;
  created_at: Integer;
  /** People who came later are not among its recipients. */
  started_at: Integer | null;
  ended_at: Integer | null;
}
export type BroadcastRow = Selectable<BroadcastTable>;

interface RecipientRow {
  broadcast_id: number;
  user_id: number;
  state: RecipientState;
}

declare module "../../../database/schema.js" {
  interface Schema {
    broadcast: BroadcastTable;
    broadcast_recipient: RecipientRow;
  }
}

type NewBroadcast = Pick<BroadcastRow, "admin_id" | "message_id" | "audience" | "created_at">;
export const insertBroadcast = prepare<NewBroadcast, BroadcastRow>((p) =>
  qb
    .insertInto("broadcast")
    .values({
      admin_id: p.admin_id,
      message_id: p.message_id,
      screen_id: sql.lit(null),
      audience: p.audience,
      state: sql.lit("composing" as const),
      revision: sql<number>`1`,
      total: sql<number>`0`,
      sent: sql<number>`0`,
      blocked: sql<number>`0`,
      failed: sql<number>`0`,
      last_user_id: sql<number>`0`,
      waits_until: sql<Integer>`0`,
      created_at: p.created_at,
      started_at: sql.lit(null),
      ended_at: sql.lit(null),
    })
    .onConflict((conflict) => conflict.columns(["admin_id", "message_id"]).doNothing())
    .returningAll(),
);
export const broadcastById = prepare<{ id: number }, BroadcastRow>((p) =>
  qb.selectFrom("broadcast").selectAll().where("id", "=", p.id),
);
export const broadcastOfMessage = prepare<Pick<BroadcastRow, "admin_id" | "message_id">, BroadcastRow>((p) =>
  qb
    .selectFrom("broadcast")
    .selectAll()
    .where("admin_id", "=", p.admin_id)
    .where("message_id", "=", p.message_id),
);
/** Finds the oldest running one: they are sent one after another. */
export const runningBroadcast = prepare<object, BroadcastRow>(() =>
  qb
    .selectFrom("broadcast")
    .selectAll()
    .where("state", "=", sql.lit("running" as const))
    .orderBy("id")
    .limit(sql.lit(1)),
);
export const setScreen = prepare<{ id: number; screen_id: number }>((p) =>
  qb.updateTable("broadcast").set({ screen_id: p.screen_id }).where("id", "=", p.id),
);
export const setAudience = prepare<Pick<BroadcastRow, "id" | "revision" | "audience">>((p) =>
  qb
    .updateTable("broadcast")
    .set((eb) => ({ audience: p.audience, revision: eb("revision", "+", 1) }))
    .where("id", "=", p.id)
    .where("revision", "=", p.revision)
    .where("state", "=", sql.lit("composing" as const)),
);
export const startBroadcast = prepare<Pick<BroadcastRow, "id" | "revision" | "total"> & { at: Integer }>(
  (p) =>
    qb
      .updateTable("broadcast")
      .set({ state: sql.lit("running" as const), total: p.total, started_at: p.at })
      .where("id", "=", p.id)
      .where("revision", "=", p.revision)
      .where("state", "=", sql.lit("composing" as const)),
);
export const moveBroadcast = prepare<{ id: number; from: BroadcastState; to: BroadcastState }>((p) =>
  qb.updateTable("broadcast").set({ state: p.to }).where("id", "=", p.id).where("state", "=", p.from),
);
export const endBroadcast = prepare<{ id: number; at: Integer }>((p) =>
  qb
    .updateTable("broadcast")
    .set({ state: sql.lit("done" as const), ended_at: p.at })
    .where("id", "=", p.id)
    .where("state", "=", sql.lit("running" as const)),
);
export const setWaitsUntil = prepare<{ id: number; waits_until: Integer }>((p) =>
  qb.updateTable("broadcast").set({ waits_until: p.waits_until }).where("id", "=", p.id),
);
export const setLastUser = prepare<{ id: number; last_user_id: number }>((p) =>
  qb.updateTable("broadcast").set({ last_user_id: p.last_user_id }).where("id", "=", p.id),
);
export const insertRecipient = prepare<Pick<RecipientRow, "broadcast_id" | "user_id">>((p) =>
  qb
    .insertInto("broadcast_recipient")
    .values({ broadcast_id: p.broadcast_id, user_id: p.user_id, state: sql.lit("claimed" as const) })
    .onConflict((conflict) => conflict.doNothing()),
);
export const deleteClaim = prepare<Pick<RecipientRow, "broadcast_id" | "user_id">>((p) =>
  qb
    .deleteFrom("broadcast_recipient")
    .where("broadcast_id", "=", p.broadcast_id)
    .where("user_id", "=", p.user_id)
    .where("state", "=", sql.lit("claimed" as const)),
);
export const settleRecipient = prepare<RecipientRow>((p) =>
  qb
    .updateTable("broadcast_recipient")
    .set({ state: p.state })
    .where("broadcast_id", "=", p.broadcast_id)
    .where("user_id", "=", p.user_id)
    .where("state", "=", sql.lit("claimed" as const)),
);
export const countOutcome = {
  sent: countOne("sent"),
  blocked: countOne("blocked"),
  failed: countOne("failed"),
};
const deleteRecipient = prepare<{ user_id: number }>((p) =>
  qb.deleteFrom("broadcast_recipient").where("user_id", "=", p.user_id),
);

function countOne(column: "sent" | "blocked" | "failed") {
  return prepare<{ id: number }>((p) =>
    qb
      .updateTable("broadcast")
      .set((eb) => ({ [column]: eb(column, "+", 1) }))
      .where("id", "=", p.id),
  );
}

/** Forgets to whom messages were sent. */
export function eraseRecipient(tx: Transaction, userId: number): void {
  tx.run(deleteRecipient, { user_id: userId });
}
