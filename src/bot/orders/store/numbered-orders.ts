import type { Database } from "../../../database/database.js";
import type { Order } from "./order.js";
import { newestOfUser, orderByNumber, orderOf } from "./order-table.js";

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

  /** Lists the newest orders of a person first. */
  newestOf(userId: number, limit: number): Order[] {
    return this.#database.all(newestOfUser, { user_id: userId, limit }).map(orderOf);
  }
}
