import { sql } from "kysely";
import type { JobId } from "../../contract/job.js";
import type { GenerationRequest } from "../../contract/request.js";
import type { Database } from "../../database/database.js";
import type { Migration } from "../../database/migrations.js";
import { prepare, queryBuilder } from "../../database/prepared.js";
import type { Clock } from "../../platform/clock.js";
import type { Kopecks } from "../../platform/money.js";
import type { Draft } from "../create/draft.js";
import type { Drafts } from "../create/drafts.js";
import { insertDelivery, UNDELIVERED } from "./deliveries.js";
import { type Order, type OrderState, storedJobIds, storedRequest } from "./order.js";

interface OrderRow {
  id: string;
  draft_id: number;
  user_id: number;
  user_name: string;
  chat_id: number;
  thread_id: number | null;
  status_message_id: number | null;
  model_title: string;
  request: string;
  quoted_kopecks: number;
  state: OrderState;
  job_ids: string;
  created_at: number;
}

export const ORDERS_MIGRATION: Migration = {
  name: "orders",
  sql: `
    CREATE TABLE "order" (
      id TEXT PRIMARY KEY,
      draft_id INTEGER NOT NULL,
      user_id INTEGER NOT NULL,
      user_name TEXT NOT NULL,
      chat_id INTEGER NOT NULL,
      thread_id INTEGER,
      status_message_id INTEGER,
      model_title TEXT NOT NULL,
      request TEXT NOT NULL,
      quoted_kopecks INTEGER NOT NULL CHECK (quoted_kopecks >= 0),
      state TEXT NOT NULL
        CHECK (state IN ('claimed', 'accepted', 'delivering', 'closed', 'refused', 'uncertain')),
      job_ids TEXT NOT NULL,
      created_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX order_open ON "order" (state, created_at) WHERE state IN ('claimed', 'accepted');
  `,
};

/** There are few of them: other orders cost nothing by it. */
export const UNCERTAIN_ORDERS_MIGRATION: Migration = {
  name: "uncertain-orders",
  sql: `CREATE INDEX order_uncertain ON "order" (draft_id) WHERE state = 'uncertain';`,
};

interface OpenDelivery {
  order_id: string;
  user_id: number;
  chat_id: number;
  state: string;
}

const qb = queryBuilder<{ order: OrderRow; delivery: OpenDelivery }>();
const byId = prepare<{ id: string }, OrderRow>((p) =>
  qb.selectFrom("order").selectAll().where("id", "=", p.id),
);
// The whole list of the partial index, as literals: the planner uses the index for nothing less.
const OPEN = [sql.lit("claimed" as const), sql.lit("accepted" as const)];
const inState = {
  claimed: listState("claimed"),
  accepted: listState("accepted"),
};
const uncertainOfDraft = prepare<{ draft_id: number }, Pick<OrderRow, "id">>((p) =>
  qb
    .selectFrom("order")
    .select("id")
    .where("draft_id", "=", p.draft_id)
    .where("state", "=", sql.lit("uncertain" as const)),
);
const running = prepare<InChat, { id: string }>((p) =>
  qb
    .selectFrom("order")
    .select("id")
    .where("state", "in", OPEN)
    .where("state", "=", sql.lit("accepted" as const))
    .where("user_id", "=", p.user_id)
    .where("chat_id", "=", p.chat_id)
    .limit(sql.lit(1)),
);
const undelivered = prepare<InChat, { order_id: string }>((p) =>
  qb
    .selectFrom("delivery")
    .select("order_id")
    .where("state", "in", UNDELIVERED)
    .where("user_id", "=", p.user_id)
    .where("chat_id", "=", p.chat_id)
    .limit(sql.lit(1)),
);
/** What is asked at each start and by people: a test holds each to an index, however many orders have ended. */
export const OPEN_ORDER_QUERIES = { ...inState, uncertainOfDraft, running, undelivered };

const insert = prepare<OrderRow>((p) =>
  qb.insertInto("order").values({
    id: p.id,
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
const move = prepare<{ id: string; from: OrderState; to: OrderState }>((p) =>
  qb.updateTable("order").set({ state: p.to }).where("id", "=", p.id).where("state", "=", p.from),
);
const accept = prepare<{ id: string; job_ids: string }>((p) =>
  qb
    .updateTable("order")
    .set({ state: "accepted", job_ids: p.job_ids })
    .where("id", "=", p.id)
    .where("state", "=", "claimed"),
);

interface InChat {
  user_id: number;
  chat_id: number;
}

/** What a confirmed draft becomes. */
export interface Claim {
  orderId: string;
  draft: Draft;
  userName: string;
  modelTitle: string;
  request: GenerationRequest;
  quotedKopecks: Kopecks;
}

/** Orders as rows. */
export class Orders {
  readonly #database: Database;
  readonly #drafts: Drafts;
  readonly #clock: Clock;

  constructor(database: Database, drafts: Drafts, clock: Clock) {
    this.#database = database;
    this.#drafts = drafts;
    this.#clock = clock;
  }

  find(id: string): Order | undefined {
    const row = this.#database.first(byId, { id });
    return row && orderOf(row);
  }

  /** All orders in an open state, oldest first. */
  inState(state: "claimed" | "accepted"): Order[] {
    return this.#database.all(inState[state], {}).map(orderOf);
  }

  /** True when nobody knows whether the order of this draft was charged. */
  isUncertain(draftId: number): boolean {
    return this.#database.first(uncertainOfDraft, { draft_id: draftId }) !== undefined;
  }

  /** True while something that the person has paid for has not arrived in this chat. */
  isUnderWay(userId: number, chatId: number): boolean {
    const here: InChat = { user_id: userId, chat_id: chatId };
    return [running, undelivered].some((query) => this.#database.first<InChat, object>(query, here));
  }

  /**
   * Turns the draft into an order, exactly once: `undefined` when the draft has changed or was claimed
   * by another tap. Commits before it answers, so nothing is ever sent for an unclaimed order.
   */
  claim({ orderId, draft, userName, modelTitle, request, quotedKopecks }: Claim): Promise<Order | undefined> {
    return this.#database.write("order-claim", (tx) => {
      if (!this.#drafts.changeIn(tx, draft, { state: "ordered" })) return undefined;
      this.#drafts.rememberIn(tx, draft);
      const row: OrderRow = {
        id: orderId,
        draft_id: draft.id,
        user_id: draft.userId,
        user_name: userName,
        chat_id: draft.chatId,
        thread_id: draft.threadId,
        status_message_id: this.#drafts.messageIn(tx, draft.id),
        model_title: modelTitle,
        request: JSON.stringify(request),
        quoted_kopecks: quotedKopecks,
        state: "claimed",
        job_ids: "[]",
        created_at: this.#clock.now(),
      };
      tx.run(insert, row);
      return orderOf(row);
    });
  }

  async accept(order: Order, jobIds: readonly JobId[]): Promise<Order> {
    const job_ids = JSON.stringify(jobIds);
    await this.#database.write("order-accept", (tx) => tx.run(accept, { id: order.id, job_ids }));
    return { ...order, state: "accepted", jobIds };
  }

  /** Nothing was charged: the order ends, and its draft can be composed on unless a newer one took its place. */
  refuse(order: Order): Promise<Draft | undefined> {
    return this.#database.write("order-refuse", (tx) => {
      if (tx.run(move, { id: order.id, from: "claimed", to: "refused" }) === 0) return undefined;
      return this.#drafts.reopenIn(tx, order.draftId);
    });
  }

  async markUncertain(order: Order): Promise<void> {
    await this.#database.write("order-uncertain", (tx) =>
      tx.run(move, { id: order.id, from: "claimed", to: "uncertain" }),
    );
  }

  /** All its jobs have ended: from now on its delivery is what is left to do. The second time changes nothing. */
  async finish(order: Order): Promise<void> {
    await this.#database.write("order-finish", (tx) => {
      if (tx.run(move, { id: order.id, from: "accepted", to: "delivering" }) === 0) return;
      insertDelivery(tx, order, this.#clock.now());
    });
  }
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

function orderOf(row: OrderRow): Order {
  return {
    id: row.id,
    draftId: row.draft_id,
    userId: row.user_id,
    userName: row.user_name,
    chatId: row.chat_id,
    threadId: row.thread_id,
    statusMessageId: row.status_message_id,
    modelTitle: row.model_title,
    request: storedRequest.parse(JSON.parse(row.request)) as GenerationRequest,
    quotedKopecks: row.quoted_kopecks,
    state: row.state,
    jobIds: storedJobIds.parse(JSON.parse(row.job_ids)),
    createdAt: row.created_at,
  };
}
