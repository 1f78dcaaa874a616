import { type Generated, type Selectable, sql } from "kysely";
import { z } from "zod";
import type { User } from "../../accounts/account-store.js";
import type { JobId } from "../../contract/job.js";
import type { Kopecks } from "../../contract/price.js";
import { type GenerationRequest, storedRequest } from "../../contract/request.js";
import type { Reads, Transaction } from "../../database/database.js";
import { JsonColumn } from "../../database/json-column.js";
import { prepare, qb } from "../../database/prepared.js";
import { table } from "../../database/table.js";
import type { Integer } from "../../platform/integer.js";
import type { Draft, NewDraft } from "../card/draft-store.js";
import type { ChatPlace } from "../telegram/place.js";

/**
 * `claimed`: confirmed, perhaps submitted; `accepted`: jobs are running; `delivering`: all jobs have ended; `closed`:
 * files sent or failure reported; `refused`: not charged; `uncertain`: it is unknown whether it was charged.
 */
export type OrderState = "claimed" | "accepted" | "delivering" | "closed" | "refused" | "uncertain";

/**
 * `pending`: to be sent or retried; `parked`: the person has blocked or never started the bot; `failed`:
 * Telegram will never take it; `expired`: the person did not return in time.
 */
export type DeliveryState = "pending" | "parked" | "sent" | "failed" | "expired";

/** Maps each move to its target state, by source state. Unlisted moves are forbidden. */
type Moves<State extends string> = Readonly<Record<string, Move<State>>>;
export type Move<State extends string> = Readonly<Partial<Record<State, State>>>;

const ORDER_MOVES = {
  accept: { claimed: "accepted", uncertain: "accepted" },
  refuse: { claimed: "refused", uncertain: "refused" },
  mark_uncertain: { claimed: "uncertain" },
  take_back_refusal: { refused: "accepted" },
  finish_jobs: { accepted: "delivering" },
  close: { delivering: "closed" },
  reopen: { closed: "delivering" },
} as const satisfies Moves<OrderState>;
type OrderMove = keyof typeof ORDER_MOVES;

export const DELIVERY_MOVES = {
  postpone: { pending: "pending" },
  park: { pending: "parked" },
  unpark: { parked: "pending" },
  end_sent: { pending: "sent" },
  end_failed: { pending: "failed" },
  end_expired: { pending: "expired", parked: "expired" },
  reopen: { expired: "pending" },
} as const satisfies Moves<DeliveryState>;

export interface Order extends ChatPlace {
  id: string;
  /** Names the order to its person and to admins; counts from 1. */
  number: number;
  draftId: number;
  userId: number;
  userName: string;
  /** The draft's card, reused as the status message. */
  statusMessageId: number | null;
  modelTitle: string;
  request: GenerationRequest;
  quotedKopecks: Kopecks;
  state: OrderState;
  jobIds: readonly JobId[];
  createdAt: Integer;
}

export function userOf({ userId, userName }: Pick<Order, "userId" | "userName">): User {
  return { id: userId, name: userName };
}

export interface Claim {
  orderId: string;
  draft: Draft;
  userName: string;
  modelTitle: string;
  request: GenerationRequest;
  quotedKopecks: Kopecks;
}

/** A further take of a result: the same request with another seed. */
export interface TakeClaim extends Omit<Claim, "draft"> {
  of: Order;
  /** The number of takes that were ordered before. */
  number: number;
  draft: NewDraft;
}

export type Wish = Omit<Claim, "orderId"> | Omit<TakeClaim, "orderId">;

export const storedJobIds = z.array(z.union([z.number().int(), z.string()]));

interface OrderTable {
  /** Never given again. */
  number: Generated<number>;
  id: string;
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

export type OrderRow = Selectable<OrderTable>;

interface OrderJobRow {
  job_id: string;
  order_id: string;
}

declare module "../../database/prepared.js" {
  interface Schema {
    order: OrderTable;
    order_job: OrderJobRow;
  }
}

export const ORDER_REQUEST = new JsonColumn<GenerationRequest>("order", "request", storedRequest);
export const ORDER_JOBS = new JsonColumn<readonly JobId[]>("order", "job_ids", storedJobIds);

const orders = table("order", ["state"]);
// The condition of the partial index, as literals: the planner ignores the index otherwise.
const OPEN = [sql.lit("claimed" as const), sql.lit("accepted" as const)];
export const ordersInState = prepare<{ state: "claimed" | "accepted" }, OrderRow>((p) =>
  qb
    .selectFrom("order")
    .selectAll()
    .where("state", "in", OPEN)
    .where("state", "=", p.state)
    .orderBy("created_at"),
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
export const OPEN_ORDER_QUERIES = { ordersInState, runningInChat };

/** True until the files were sent or the person was told why not. */
export function isOrderOpen(source: Reads, id: string): boolean {
  const { state } = orders.get(source, { id }) ?? {};
  return state === "claimed" || state === "accepted" || state === "delivering";
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
    request: ORDER_REQUEST.read(row.request),
    quotedKopecks: row.quoted_kopecks,
    state: row.state,
    jobIds: ORDER_JOBS.read(row.job_ids),
    createdAt: row.created_at,
  };
}

export const otherOrders = prepare<OrderJobRow, { user_id: number }>((p) =>
  qb
    .selectFrom("order_job")
    .innerJoin("order", "id", "order_id")
    .select("user_id")
    .where("job_id", "=", p.job_id)
    .where("order_id", "!=", p.order_id),
);

/** Moves an order. Undefined, and no change, when `ORDER_MOVES` forbids it. */
export function moveOrder(tx: Transaction, id: string, move: OrderMove): Order | undefined {
  const row = orders.get(tx, { id });
  const states: Move<OrderState> = ORDER_MOVES[move];
  const state = row && states[row.state];
  if (!state) return undefined;
  orders.update(tx, { id }, { state });
  return orderOf({ ...row, state });
}
