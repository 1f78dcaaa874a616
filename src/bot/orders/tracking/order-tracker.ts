import { isFinished } from "../../../contract/job.js";
import { type Kopecks, kopecksOf, sumOf } from "../../../contract/money.js";
import type { Logger } from "../../../platform/logger.js";
import type { GatewayJob, Unsubscribe } from "../../../ports/gateway.js";
import type { JobFeed } from "../../../ports/job-feed.js";
import { type Order, userOf } from "../store/order.js";
import type { OrderStore } from "../store/order-store.js";

interface OrderTrackerParts {
  orders: OrderStore;
  jobFeed: JobFeed;
  logger: Logger;
  onProgress: (order: Order, jobs: readonly GatewayJob[]) => void;
  /** Called after the delivery of a finished order was committed. */
  onFinished: (order: Order) => void;
}

/** Follows the jobs of accepted orders and starts the delivery when the last job has ended. */
export class OrderTracker {
  readonly #parts: OrderTrackerParts;
  readonly #followed = new Map<string, Unsubscribe>();
  #isStopped = false;

  constructor(parts: OrderTrackerParts) {
    this.#parts = parts;
  }

  stop(): void {
    this.#isStopped = true;
    for (const id of [...this.#followed.keys()]) this.#forget(id);
  }

  follow(order: Order): void {
    if (this.#isStopped || this.#followed.has(order.id)) return;
    const { id, jobIds } = order;
    const watched = { id, user: userOf(order), jobIds };
    this.#followed.set(
      id,
      this.#parts.jobFeed.watch(watched, (jobs) => this.#update(order, jobs)),
    );
  }

  async #update(order: Order, jobs: readonly GatewayJob[]): Promise<void> {
    const { orders, logger, onProgress, onFinished } = this.#parts;
    if (!jobs.every(isFinished)) return onProgress(order, jobs);
    const finished = await orders.finishJobs(order, refundOf(jobs));
    this.#forget(order.id);
    if (!finished) return;
    logger.info({ order_id: order.id, statuses: jobs.map(({ status }) => status) }, "order finished");
    onFinished(order);
  }

  #forget(orderId: string): void {
    this.#followed.get(orderId)?.();
    this.#followed.delete(orderId);
  }
}

/** Sums what the service says to have given back for failed jobs. */
function refundOf(jobs: readonly GatewayJob[]): Kopecks {
  const refunded = jobs.filter(({ status, refund }) => status === "error" && refund === "made");
  return sumOf(refunded.map(({ cost_rub }) => kopecksOf(cost_rub)));
}
