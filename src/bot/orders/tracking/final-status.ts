import type { Clock } from "../../../platform/clock.js";
import type { Logger } from "../../../platform/logger.js";
import { type BackOff, untilDone } from "../../../platform/retry.js";
import type { Language } from "../../texts/texts.js";
import type { Order } from "../store/order.js";
import type { OrderStore } from "../store/order-store.js";
import type { StatusMessages } from "./status-messages.js";
import { finalStatusText } from "./status-text.js";

const DATABASE_BACK_OFF: BackOff = { firstMs: 1000, maxMs: 60_000 };

interface FinalStatusParts {
  orders: OrderStore;
  statusMessages: StatusMessages;
  languageOf: (userId: number) => Language;
  clock: Clock;
  logger: Logger;
}

/** Shows the final status of orders. A status is stored as a row until it was shown. */
export class FinalStatus {
  readonly #parts: FinalStatusParts;
  readonly #stopping = new AbortController();

  constructor(parts: FinalStatusParts) {
    this.#parts = parts;
  }

  start(): void {
    for (const { orderId, isDone } of this.#parts.orders.pendingFinalStatuses())
      void this.show(orderId, isDone);
  }

  stop(): void {
    this.#stopping.abort();
  }

  /** Retries faults of the database. A status that `stop` interrupts is shown at the next start. */
  async show(orderId: string, isDone: boolean): Promise<void> {
    const { orders, clock, logger } = this.#parts;
    const onFailure = (error: unknown, attempt: number) =>
      logger.warn({ order_id: orderId, err: error, attempt }, "final status not shown, trying again");
    const retry = { clock, backOff: DATABASE_BACK_OFF, onFailure, signal: this.#stopping.signal };
    try {
      const isOver = await untilDone(retry, () => this.#edit(orderId, isDone));
      if (isOver) await untilDone(retry, () => orders.finalStatusShown(orderId));
    } catch (error) {
      logger.warn({ order_id: orderId, err: error }, "final status left for the next start");
    }
  }

  async #edit(orderId: string, isDone: boolean): Promise<boolean> {
    const { orders, statusMessages, languageOf } = this.#parts;
    const order = orders.find(orderId);
    if (!order) return true;
    const text = finalStatusText(order, isDone, languageOf(order.userId));
    const files = orders.findDelivery(orderId)?.files.length ?? 0;
    return statusMessages.finish(order, text, isDone && hasSummary(order, files));
  }
}

/** Tells whether a message follows that says how many results there are. */
function hasSummary({ jobIds }: Order, files: number): boolean {
  return jobIds.length > 1 || files > 1;
}
