import type { Database } from "../../database/database.js";
import type { Migration } from "../../database/migrations.js";
import { prepare, queryBuilder } from "../../database/prepared.js";
import type { Transaction } from "../../database/transaction.js";
import type { Logger } from "../../platform/logger.js";
import type { Language } from "../texts.js";
import type { Orders } from "./orders.js";
import type { StatusBoard } from "./status-board.js";
import { lastStatusText } from "./status-text.js";

interface LastWordsRow {
  order_id: string;
  /** 1 when something was made. */
  is_done: number;
}

export const LAST_WORDS_MIGRATION: Migration = {
  name: "last-words",
  sql: `
    -- Orders that have ended while their status message does not say so yet: a few at a time.
    CREATE TABLE last_words (
      order_id TEXT PRIMARY KEY REFERENCES "order" (id),
      is_done INTEGER NOT NULL CHECK (is_done IN (0, 1))
    ) STRICT, WITHOUT ROWID;
  `,
};

const qb = queryBuilder<{ last_words: LastWordsRow }>();
const insert = prepare<LastWordsRow>((p) =>
  qb
    .insertInto("last_words")
    .values({ order_id: p.order_id, is_done: p.is_done })
    .onConflict((conflict) => conflict.column("order_id").doNothing()),
);
const all = prepare<object, LastWordsRow>(() => qb.selectFrom("last_words").selectAll());
const remove = prepare<{ id: string }>((p) => qb.deleteFrom("last_words").where("order_id", "=", p.id));

/** Notes, in the transaction that ends an order, that its status message is to say so. */
export function oweLastWords(tx: Transaction, orderId: string, isDone: boolean): void {
  tx.run(insert, { order_id: orderId, is_done: isDone ? 1 : 0 });
}

interface LastWordsParts {
  database: Database;
  orders: Orders;
  statusBoard: StatusBoard;
  languageOf: (userId: number) => Language;
  logger: Logger;
}

/** What the status message of an order says at its end: owed as a row until it has been said. */
export class LastWords {
  readonly #parts: LastWordsParts;

  constructor(parts: LastWordsParts) {
    this.#parts = parts;
  }

  /** Says what an earlier run still owed. */
  start(): void {
    for (const { order_id, is_done } of this.#parts.database.all(all, {}))
      void this.say(order_id, is_done === 1);
  }

  /** Resolves when they were said, or can never be; what a stop cuts off is said at the next start. */
  async say(orderId: string, isDone: boolean): Promise<void> {
    const { database, orders, statusBoard, languageOf, logger } = this.#parts;
    try {
      const order = orders.find(orderId);
      const isOver =
        !order || (await statusBoard.finish(order, lastStatusText(order, isDone, languageOf(order.userId))));
      if (isOver) await database.writeUnhurried("last-words", (tx) => tx.run(remove, { id: orderId }));
    } catch (error) {
      logger.warn({ order_id: orderId, err: error }, "last words not said");
    }
  }
}
