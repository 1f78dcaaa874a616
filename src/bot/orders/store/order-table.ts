import { sql } from "kysely";
import type { Kopecks } from "../../../contract/money.js";
import { storedRequest } from "../../../contract/stored-request.js";
import type { Database } from "../../../database/database.js";
import { prepare } from "../../../database/prepared.js";
import { qb } from "../../../database/schema.js";
import type { Transaction } from "../../../database/transaction.js";
import type { Integer } from "../../../platform/integer.js";
import { type Order, storedJobIds } from "./order.js";
import type { OrderState } from "./order-state.js";

export interface OrderRow {
  id: string;
  /** Names the order to people and admins; counts from 1. */
  number: number;
  draft_id: number;
  user_id: number;
  user_name: string;
  chat_id: number;
  thread_id: number | null;
  status_message_id: number | null;
  model_title: string;
  request: string;
  quoted_kopecks: Kopecks;
  state: OrderState;
  job_ids: string;
  created_at: Integer;
}

declare module "../../../database/schema.js" {
  interface Schema {
    order: OrderRow;
  }
}

export const orderById = prepare<{ id: string }, OrderRow>((p) =>
  qb.selectFrom("order").selectAll().where("id", "=", p.id),
);
export const orderByNumber = prepare<{ number: number }, OrderRow>((p) =>
  qb.selectFrom("order").selectAll().where("number", "=", p.number),
);
export const newestOfUser = prepare<{ user_id: number; limit: number }, OrderRow>((p) =>
  qb
    .selectFrom("order")
    .selectAll()
    .where("user_id", "=", p.user_id)
    .orderBy("created_at", "desc")
    .limit(p.limit),
);
const lastNumber = prepare<object, { number: number | null }>(() =>
  qb.selectFrom("order").select((eb) => eb.fn.max("number").as("number")),
);
/** A test checks that each of these queries uses an index. */
export const NUMBERED_ORDER_QUERIES = { orderByNumber, newestOfUser, lastNumber };
const stateOf = prepare<{ id: string }, Pick<OrderRow, "state">>((p) =>
  qb.selectFrom("order").select("state").where("id", "=", p.id),
);
// The condition of the partial index, as literals: the planner ignores the index otherwise.
const OPEN = [sql.lit("claimed" as const), sql.lit("accepted" as const)];
export const ordersInState = {
  claimed: listState("claimed"),
  accepted: listState("accepted"),
};
export const uncertainOfDraft = prepare<{ draft_id: number }, Pick<OrderRow, "id">>((p) =>
  qb
    .selectFrom("order")
    .select("id")
    .where("draft_id", "=", p.draft_id)
    .where("state", "=", sql.lit("uncertain" as const)),
);
/** Finds an order that takes the place of another: of its draft, or a later one of its person and model. */
export const replacementOf = prepare<
  Pick<OrderRow, "id" | "draft_id" | "user_id" | "created_at"> & { model_key: string },
  Pick<OrderRow, "id">
>((p) =>
  qb
    .selectFrom("order")
    .select("id")
    .where("user_id", "=", p.user_id)
    .where("id", "!=", p.id)
    .where("state", "!=", sql.lit("refused" as const))
    .where((eb) =>
      eb.or([
        eb("draft_id", "=", p.draft_id),
        eb.and([
          eb("created_at", ">=", p.created_at),
          eb(sql<string>`request ->> '$.model_key'`, "=", p.model_key),
        ]),
      ]),
    )
    .limit(sql.lit(1)),
);
export const runningInChat = prepare<{ user_id: number; chat_id: number }, { id: string }>((p) =>
  qb
    .selectFrom("order")
    .select("id")
    .where("state", "in", OPEN)
    .where("state", "=", sql.lit("accepted" as const))
    // The plus keeps the planner from the index of all orders of the person.
    .where(sql<number>`+user_id`, "=", p.user_id)
    .where("chat_id", "=", p.chat_id)
    .limit(sql.lit(1)),
);
/** A test checks that each of these queries uses an index. */
export const OPEN_ORDER_QUERIES = { ...ordersInState, uncertainOfDraft, runningInChat };

export const insertOrder = prepare<OrderRow>((p) =>
  qb.insertInto("order").values({
    id: p.id,
    number: p.number,
    draft_id: p.draft_id,
    user_id: p.user_id,
    user_name: p.user_name,
    chat_id: p.chat_id,
    thread_id: p.thread_id,
    status_message_id: p.status_message_id,
    model_title: p.model_title,
    request: p.request,
    quoted_kopecks: p.quoted_kopecks,
    state: p.state,
    job_ids: p.job_ids,
    created_at: p.created_at,
  }),
);
export const setOrderState = prepare<Pick<OrderRow, "id" | "state">>((p) =>
  qb.updateTable("order").set({ state: p.state }).where("id", "=", p.id),
);
export const setStatusMessage = prepare<{ id: string; status_message_id: number }>((p) =>
  qb.updateTable("order").set({ status_message_id: p.status_message_id }).where("id", "=", p.id),
);
export const setJobIds = prepare<Pick<OrderRow, "id" | "job_ids">>((p) =>
  qb.updateTable("order").set({ job_ids: p.job_ids }).where("id", "=", p.id),
);

export function nextOrderNumber(tx: Transaction): number {
  return (tx.first(lastNumber, {})?.number ?? 0) + 1;
}

/** True until the files were sent or the person was told why not. */
export function isOrderOpen(source: Transaction | Database, id: string): boolean {
  const { state } = source.first(stateOf, { id }) ?? {};
  return state === "claimed" || state === "accepted" || state === "delivering";
}

function listState(state: OrderState) {
  return prepare<object, OrderRow>(() =>
    qb
      .selectFrom("order")
      .selectAll()
      .where("state", "in", OPEN)
      .where("state", "=", sql.lit(state))
      .orderBy("created_at"),
  );
}

export function orderOf(row: OrderRow): Order {
  return {
    id: row.id,
    number: row.number,
    draftId: row.draft_id,
    userId: row.user_id,
    userName: row.user_name,
    chatId: row.chat_id,
    threadId: row.thread_id,
    statusMessageId: row.status_message_id,
    modelTitle: row.model_title,
    request: storedRequest.parse(JSON.parse(row.request)),
    quotedKopecks: row.quoted_kopecks,
    state: row.state,
    jobIds: storedJobIds.parse(JSON.parse(row.job_ids)),
    createdAt: row.created_at,
  };
}
