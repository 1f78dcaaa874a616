import { isFinished, type Job, type JobId } from "../../../contract/job.js";
import type { CancelTimer, Clock } from "../../../platform/clock.js";
import type { Logger } from "../../../platform/logger.js";
import { type Gateways, NOT_CONNECTED } from "../../../ports/gateway.js";
import type { Order } from "../store/order.js";
import type { OrderStore } from "../store/order-store.js";

/** The interval at which open orders are checked without an event, in ms. */
const SAFETY_INTERVAL_MS = 15_000;

interface OrderTrackerParts {
  orders: OrderStore;
  gateways: Gateways;
  clock: Clock;
  logger: Logger;
  onProgress: (order: Order, jobs: readonly Job[]) => void;
  /** Called after the delivery of a finished order was committed. */
  onFinished: (order: Order) => void;
}

/** Follows the jobs of accepted orders and starts the delivery when the last job has ended. */
export class OrderTracker {
  readonly #parts: OrderTrackerParts;
  readonly #open = new Map<string, Order>();
  readonly #orderOfJob = new Map<JobId, string>();
  /** Orders being checked; true when something has changed since the check began. */
  readonly #checking = new Map<string, boolean>();
  #unsubscribe: () => void = () => {};
  #cancelTimer: CancelTimer = () => {};

  constructor(parts: OrderTrackerParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#unsubscribe = this.#parts.gateways.onJobChange((id) => {
      const orderId = this.#orderOfJob.get(id);
      if (orderId !== undefined) void this.#check(orderId);
    });
    this.#tick();
  }

  stop(): void {
    this.#unsubscribe();
    this.#cancelTimer();
  }

  follow(order: Order): void {
    this.#open.set(order.id, order);
    for (const id of order.jobIds) this.#orderOfJob.set(id, order.id);
    void this.#check(order.id);
  }

  #tick(): void {
    for (const id of this.#open.keys()) void this.#check(id);
    this.#cancelTimer = this.#parts.clock.after(SAFETY_INTERVAL_MS, () => this.#tick());
  }

  async #check(orderId: string): Promise<void> {
    if (this.#checking.has(orderId)) {
      this.#checking.set(orderId, true);
      return;
    }
    do {
      this.#checking.set(orderId, false);
      try {
        await this.#checkOnce(orderId);
      } catch (error) {
        this.#parts.logger.warn({ order_id: orderId, err: error }, "jobs of an order not read, trying again");
      }
    } while (this.#checking.get(orderId));
    this.#checking.delete(orderId);
  }

  async #checkOnce(orderId: string): Promise<void> {
    const { gateways, orders, logger, onProgress, onFinished } = this.#parts;
    const order = this.#open.get(orderId);
    if (!order) return;
    const gateway = await gateways.of({ id: order.userId, name: order.userName });
    if (gateway === NOT_CONNECTED) return;
    const jobs = await Promise.all(order.jobIds.map((id) => gateway.job(id)));
    if (!jobs.every(isFinished)) return onProgress(order, jobs);
    const finished = await orders.finishJobs(order);
    this.#forget(order);
    if (!finished) return;
    logger.info({ order_id: orderId, statuses: jobs.map(({ status }) => status) }, "order finished");
    onFinished(order);
  }

  #forget(order: Order): void {
    this.#open.delete(order.id);
    for (const id of order.jobIds) this.#orderOfJob.delete(id);
  }
}
