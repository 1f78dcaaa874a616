import { sql } from "kysely";
import { z } from "zod";
import type { Database } from "../../database/database.js";
import type { Migration } from "../../database/migrations.js";
import { prepare, queryBuilder } from "../../database/prepared.js";
import type { Transaction } from "../../database/transaction.js";
import type { Clock } from "../../platform/clock.js";
import { oweLastWords } from "./last-words.js";
import type { Order } from "./order.js";
import { type Part, SENT_AS, type SentAs } from "./outgoing.js";

/**
 * `pending` to be sent or tried again; `parked` its person has blocked the bot; `sent`; `failed` Telegram
 * will never take it; `expired` its person did not come back.
 */
export const DELIVERY_STATES = ["pending", "parked", "sent", "failed", "expired"] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** What one file of an order became in the chat. */
export interface SentFile extends Part {
  messageId: number;
  fileId: string;
  as: SentAs;
}

/** Sending the finished files of an order into its chat, with what has been achieved so far. */
export interface Delivery {
  orderId: string;
  userId: number;
  chatId: number;
  state: DeliveryState;
  attempts: number;
  /** The moment of the next try, in ms. */
  nextTryAt: number;
  /** Empty until the files are in the chat. */
  files: readonly SentFile[];
  /** Originals that were sent as documents, so that asking again costs nothing. */
  originals: readonly SentFile[];
  createdAt: number;
}

interface DeliveryRow {
  order_id: string;
  user_id: number;
  chat_id: number;
  state: DeliveryState;
  attempts: number;
  next_try_at: number;
  outcome: string | null;
  files: string;
  originals: string;
  created_at: number;
  ended_at: number | null;
}

export const DELIVERIES_MIGRATION: Migration = {
  name: "deliveries",
  sql: `
    CREATE TABLE delivery (
      order_id TEXT PRIMARY KEY REFERENCES "order" (id),
      user_id INTEGER NOT NULL,
      chat_id INTEGER NOT NULL,
      state TEXT NOT NULL CHECK (state IN ('pending', 'parked', 'sent', 'failed', 'expired')),
      attempts INTEGER NOT NULL,
      next_try_at INTEGER NOT NULL,
      outcome TEXT,
      files TEXT NOT NULL,
      originals TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      ended_at INTEGER
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX delivery_open ON delivery (state, user_id) WHERE state IN ('pending', 'parked');
    -- What admins look into: deliveries that ended without reaching their person.
    CREATE INDEX delivery_lost ON delivery (ended_at) WHERE state IN ('failed', 'expired');
  `,
};

const qb = queryBuilder<{ delivery: DeliveryRow; order: { id: string; state: string } }>();
const insert = prepare<Omit<DeliveryRow, "ended_at" | "outcome">>((p) =>
  qb.insertInto("delivery").values({
    order_id: p.order_id,
    user_id: p.user_id,
    chat_id: p.chat_id,
    state: p.state,
    attempts: p.attempts,
    next_try_at: p.next_try_at,
    outcome: null,
    files: p.files,
    originals: p.originals,
    created_at: p.created_at,
    ended_at: null,
  }),
);
const byOrder = prepare<{ id: string }, DeliveryRow>((p) =>
  qb.selectFrom("delivery").selectAll().where("order_id", "=", p.id),
);
// The whole list of the partial index, as literals: the planner uses the index for nothing less.
export const UNDELIVERED = [sql.lit("pending" as const), sql.lit("parked" as const)];
const inState = {
  pending: listState("pending"),
  parked: listState("parked"),
};
const postpone = prepare<{ id: string; next_try_at: number; outcome: string }>((p) =>
  qb
    .updateTable("delivery")
    .set((eb) => ({ attempts: eb("attempts", "+", 1), next_try_at: p.next_try_at, outcome: p.outcome }))
    .where("order_id", "=", p.id),
);
const setState = prepare<{ id: string; state: DeliveryState; outcome: string; ended_at: number | null }>(
  (p) =>
    qb
      .updateTable("delivery")
      .set({ state: p.state, outcome: p.outcome, ended_at: p.ended_at })
      .where("order_id", "=", p.id),
);
const unpark = prepare<{ user_id: number; now: number }, { order_id: string }>((p) =>
  qb
    .updateTable("delivery")
    .set({ state: "pending", next_try_at: p.now })
    .where("state", "in", UNDELIVERED)
    .where("state", "=", sql.lit("parked" as const))
    .where("user_id", "=", p.user_id)
    .returning("order_id"),
);
/** A test holds each to an index, however many deliveries have ended. */
export const OPEN_DELIVERY_QUERIES = { ...inState, unpark };

const saveFiles = prepare<{ id: string; files: string }>((p) =>
  qb.updateTable("delivery").set({ files: p.files }).where("order_id", "=", p.id),
);
const saveOriginals = prepare<{ id: string; originals: string }>((p) =>
  qb.updateTable("delivery").set({ originals: p.originals }).where("order_id", "=", p.id),
);
const moveChat = prepare<{ id: string; chat_id: number }>((p) =>
  qb.updateTable("delivery").set({ chat_id: p.chat_id }).where("order_id", "=", p.id),
);
const closeOrder = prepare<{ id: string }>((p) =>
  qb.updateTable("order").set({ state: "closed" }).where("id", "=", p.id),
);

const storedFiles = z.array(
  z.object({
    index: z.number().int(),
    // Rows from before there was music name no track.
    track: z.number().int().default(0),
    messageId: z.number().int(),
    fileId: z.string(),
    as: z.enum(SENT_AS),
  }),
);

/** Writes the delivery of an order whose jobs have ended, in the caller's transaction. */
export function insertDelivery(tx: Transaction, order: Order, now: number): void {
  tx.run(insert, {
    order_id: order.id,
    user_id: order.userId,
    chat_id: order.chatId,
    state: "pending",
    attempts: 0,
    next_try_at: now,
    files: "[]",
    originals: "[]",
    created_at: now,
  });
}

/** Deliveries as rows. Every change commits before it answers. */
export class Deliveries {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  find(orderId: string): Delivery | undefined {
    const row = this.#database.first(byOrder, { id: orderId });
    return row && deliveryOf(row);
  }

  inState(state: "pending" | "parked"): Delivery[] {
    return this.#database.all(inState[state], {}).map(deliveryOf);
  }

  async postpone(orderId: string, nextTryAt: number, outcome: string): Promise<void> {
    await this.#database.write("delivery-postpone", (tx) =>
      tx.run(postpone, { id: orderId, next_try_at: nextTryAt, outcome }),
    );
  }

  async park(orderId: string, outcome: string): Promise<void> {
    await this.#database.write("delivery-park", (tx) =>
      tx.run(setState, { id: orderId, state: "parked", outcome, ended_at: null }),
    );
  }

  /** Makes the parked deliveries of a person pending again. */
  async unpark(userId: number): Promise<string[]> {
    const now = this.#clock.now();
    const rows = await this.#database.write("delivery-unpark", (tx) =>
      tx.all(unpark, { user_id: userId, now }),
    );
    return rows.map(({ order_id }) => order_id);
  }

  /**
   * Ends a delivery and closes its order, whose status message is to say so.
   * @param isDone something was made
   */
  async end(
    orderId: string,
    state: "sent" | "failed" | "expired",
    outcome: string,
    isDone: boolean,
  ): Promise<void> {
    const ended_at = this.#clock.now();
    await this.#database.write("delivery-end", (tx) => {
      tx.run(setState, { id: orderId, state, outcome, ended_at });
      tx.run(closeOrder, { id: orderId });
      oweLastWords(tx, orderId, isDone);
    });
  }

  async saveFiles(orderId: string, files: readonly SentFile[]): Promise<void> {
    await this.#database.write("delivery-files", (tx) =>
      tx.run(saveFiles, { id: orderId, files: JSON.stringify(files) }),
    );
  }

  async saveOriginals(orderId: string, originals: readonly SentFile[]): Promise<void> {
    await this.#database.write("delivery-originals", (tx) =>
      tx.run(saveOriginals, { id: orderId, originals: JSON.stringify(originals) }),
    );
  }

  /** Sends what is left into another chat: a group became a supergroup, or has shut the bot out. */
  async moveChat(orderId: string, chatId: number): Promise<void> {
    await this.#database.write("delivery-move", (tx) => tx.run(moveChat, { id: orderId, chat_id: chatId }));
  }
}

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

function deliveryOf(row: DeliveryRow): Delivery {
  return {
    orderId: row.order_id,
    userId: row.user_id,
    chatId: row.chat_id,
    state: row.state,
    attempts: row.attempts,
    nextTryAt: row.next_try_at,
    files: storedFiles.parse(JSON.parse(row.files)),
    originals: storedFiles.parse(JSON.parse(row.originals)),
    createdAt: row.created_at,
  };
}
