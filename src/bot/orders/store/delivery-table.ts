import { sql } from "kysely";
import { prepare } from "../../../database/prepared.js";
import { qb } from "../../../database/schema.js";
import type { Integer } from "../../../platform/integer.js";
import { type Delivery, storedFiles, storedUploadFailures } from "./delivery.js";
import type { DeliveryState } from "./order-state.js";

interface DeliveryRow {
  order_id: string;
  user_id: number;
  chat_id: number;
  state: DeliveryState;
  attempts: number;
  next_try_at: Integer;
  outcome: string | null;
  files: string;
  originals: string;
  upload_failures: string;
  created_at: Integer;
  ended_at: Integer | null;
}

declare module "../../../database/schema.js" {
  interface Schema {
    delivery: DeliveryRow;
  }
}

type NewDelivery = Pick<DeliveryRow, "order_id" | "user_id" | "chat_id" | "state" | "created_at">;
/** The first attempt is due at `created_at`. */
export const insertDelivery = prepare<NewDelivery>((p) =>
  qb.insertInto("delivery").values({
    order_id: p.order_id,
    user_id: p.user_id,
    chat_id: p.chat_id,
    state: p.state,
    attempts: 0,
    next_try_at: p.created_at,
    outcome: null,
    files: sql.lit("[]"),
    originals: sql.lit("[]"),
    upload_failures: sql.lit("[]"),
    created_at: p.created_at,
    ended_at: null,
  }),
);
export const deliveryByOrder = prepare<{ id: string }, DeliveryRow>((p) =>
  qb.selectFrom("delivery").selectAll().where("order_id", "=", p.id),
);
// The condition of the partial index, as literals: the planner ignores the index otherwise.
const UNDELIVERED = [sql.lit("pending" as const), sql.lit("parked" as const)];
export const deliveriesInState = {
  pending: listState("pending"),
  parked: listState("parked"),
};
export const undeliveredInChat = prepare<{ user_id: number; chat_id: number }, Pick<DeliveryRow, "order_id">>(
  (p) =>
    qb
      .selectFrom("delivery")
      .select("order_id")
      .where("state", "in", UNDELIVERED)
      .where("user_id", "=", p.user_id)
      .where("chat_id", "=", p.chat_id)
      .limit(sql.lit(1)),
);
export const parkedOfUser = prepare<{ user_id: number }, Pick<DeliveryRow, "order_id">>((p) =>
  qb
    .selectFrom("delivery")
    .select("order_id")
    .where("state", "in", UNDELIVERED)
    .where("state", "=", sql.lit("parked" as const))
    .where("user_id", "=", p.user_id),
);
/** A test checks that each of these queries uses an index. */
export const OPEN_DELIVERY_QUERIES = { ...deliveriesInState, undeliveredInChat, parkedOfUser };

export type DeliveryProgress = Pick<
  DeliveryRow,
  "state" | "attempts" | "next_try_at" | "outcome" | "upload_failures" | "created_at" | "ended_at"
>;
export const setProgress = prepare<DeliveryProgress & { id: string }>((p) =>
  qb
    .updateTable("delivery")
    .set({
      state: p.state,
      attempts: p.attempts,
      next_try_at: p.next_try_at,
      outcome: p.outcome,
      upload_failures: p.upload_failures,
      created_at: p.created_at,
      ended_at: p.ended_at,
    })
    .where("order_id", "=", p.id),
);
export const setFiles = prepare<{ id: string; files: string }>((p) =>
  qb.updateTable("delivery").set({ files: p.files }).where("order_id", "=", p.id),
);
export const setOriginals = prepare<{ id: string; originals: string }>((p) =>
  qb.updateTable("delivery").set({ originals: p.originals }).where("order_id", "=", p.id),
);
export const setUploadFailures = prepare<{ id: string; upload_failures: string }>((p) =>
  qb.updateTable("delivery").set({ upload_failures: p.upload_failures }).where("order_id", "=", p.id),
);
export const setChat = prepare<{ id: string; chat_id: number }>((p) =>
  qb.updateTable("delivery").set({ chat_id: p.chat_id }).where("order_id", "=", p.id),
);

function listState(state: DeliveryState) {
  return prepare<object, DeliveryRow>(() =>
    qb
      .selectFrom("delivery")
      .selectAll()
      .where("state", "in", UNDELIVERED)
      .where("state", "=", sql.lit(state))
      .orderBy("created_at"),
  );
}

export function deliveryOf(row: DeliveryRow): Delivery {
  return {
    orderId: row.order_id,
    userId: row.user_id,
    chatId: row.chat_id,
    state: row.state,
    attempts: row.attempts,
    nextTryAt: row.next_try_at,
    files: storedFiles.parse(JSON.parse(row.files)),
    originals: storedFiles.parse(JSON.parse(row.originals)),
    uploadFailures: storedUploadFailures.parse(JSON.parse(row.upload_failures)),
    createdAt: row.created_at,
  };
}
