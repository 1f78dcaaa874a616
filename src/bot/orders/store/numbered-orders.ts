import type { Database } from "../../../database/database.js";
import type { Integer } from "../../../platform/integer.js";
import type { SentFile } from "./delivery.js";
import { deliveryByOrder, deliveryOf } from "./delivery-table.js";
import type { Order } from "./order.js";
import type { DeliveryState } from "./order-state.js";
import { newestOfUser, orderByNumber, orderOf } from "./order-table.js";

/** How the files of an order went out. */
export interface DeliveryRecord {
  state: DeliveryState;
  attempts: number;
  endedAt: Integer | null;
  /** Why it is not sent, or was not. */
  outcome: string | null;
  files: readonly SentFile[];
}

/** Finds orders by what people and admins call them. */
export class NumberedOrders {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  find(number: number): Order | undefined {
    const row = this.#database.first(orderByNumber, { number });
    return row && orderOf(row);
  }

  deliveryOf(orderId: string): DeliveryRecord | undefined {
    const row = this.#database.first(deliveryByOrder, { id: orderId });
    if (!row) return undefined;
    const { state, attempts, files } = deliveryOf(row);
    return { state, attempts, files, endedAt: row.ended_at, outcome: row.outcome };
  }

  /** Lists the newest orders of a person first. */
  newestOf(userId: number, limit: number): Order[] {
    return this.#database.all(newestOfUser, { user_id: userId, limit }).map(orderOf);
  }
}
