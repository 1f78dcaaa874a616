import { type Gateways, NOT_CONNECTED } from "../../contract/gateway.js";
import { isFinished, type Job, type JobId } from "../../contract/job.js";
import type { CancelTimer, Clock } from "../../platform/clock.js";
import type { Logger } from "../../platform/logger.js";
import type { Order } from "./order.js";
import type { Orders } from "./orders.js";

/** How often the jobs of open orders are looked at even when nothing was said about them, in ms. */
const SAFETY_INTERVAL_MS = 15_000;

interface TrackerParts {
  orders: Orders;
  gateways: Gateways;
  clock: Clock;
  logger: Logger;
  /** Told of each change of an open order's jobs. */
  onProgress: (order: Order, jobs: readonly Job[]) => void;
  /** Told after the delivery of a finished order was written. */
  onFinished: (order: Order) => void;
}

/** Follows the jobs of accepted orders, and hands an order to delivery when the last of them has ended. */
export class Tracker {
  readonly #parts: TrackerParts;
  readonly #open = new Map<string, Order>();
  readonly #orderOfJob = new Map<JobId, string>();
  /** Orders that are being looked at; true when something changed meanwhile. */
  readonly #looking = new Map<string, boolean>();
  #unsubscribe: () => void = () => {};
  #cancelTimer: CancelTimer = () => {};

  constructor(parts: TrackerParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#unsubscribe = this.#parts.gateways.onJobChange((id) => {
      const orderId = this.#orderOfJob.get(id);
      if (orderId !== undefined) void this.#look(orderId);
    });
    this.#tick();
  }

  stop(): void {
    this.#unsubscribe();
    this.#cancelTimer();
  }

  /** Begins to follow an accepted order. */
  follow(order: Order): void {
    this.#open.set(order.id, order);
    for (const id of order.jobIds) this.#orderOfJob.set(id, order.id);
    void this.#look(order.id);
  }

  #tick(): void {
    for (const id of this.#open.keys()) void this.#look(id);
    this.#cancelTimer = this.#parts.clock.after(SAFETY_INTERVAL_MS, () => this.#tick());
  }

  async #look(orderId: string): Promise<void> {
    if (this.#looking.has(orderId)) {
      this.#looking.set(orderId, true);
      return;
    }
    do {
      this.#looking.set(orderId, false);
      try {
        await this.#lookOnce(orderId);
      } catch (error) {
        this.#parts.logger.warn({ order_id: orderId, err: error }, "jobs of an order not read, trying again");
      }
    } while (this.#looking.get(orderId));
    this.#looking.delete(orderId);
  }

  async #lookOnce(orderId: string): Promise<void> {
    const { gateways, orders, logger, onProgress, onFinished } = this.#parts;
    const order = this.#open.get(orderId);
    if (!order) return;
    const gateway = await gateways.of({ id: order.userId, name: order.userName });
    if (gateway === NOT_CONNECTED) return;
    const jobs = await Promise.all(order.jobIds.map((id) => gateway.job(id)));
    if (!jobs.every(isFinished)) return onProgress(order, jobs);
    // An earlier try may have reached the disk though it was reported as failed: delivery looks at the row.
    await orders.finish(order);
    this.#forget(order);
    logger.info({ order_id: orderId, statuses: jobs.map(({ status }) => status) }, "order finished");
    onFinished(order);
  }

  #forget(order: Order): void {
    this.#open.delete(order.id);
    for (const id of order.jobIds) this.#orderOfJob.delete(id);
  }
}
