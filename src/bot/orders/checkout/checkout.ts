import {
  ContractError,
  type ContractErrorCode,
  PriceChanged,
  SubmissionInterruptedError,
  Unavailable,
  type UnavailableReason,
  UncertainOutcome,
} from "../../../contract/errors.js";
import type { Model } from "../../../contract/model.js";
import { type Kopecks, kopecksOf } from "../../../contract/money.js";
import type { GenerationRequest } from "../../../contract/request.js";
import type { Clock } from "../../../platform/clock.js";
import type { Ids } from "../../../platform/ids.js";
import type { Logger } from "../../../platform/logger.js";
import { untilDone } from "../../../platform/retry.js";
import { type Balance, type Gateway, type Gateways, NOT_CONNECTED } from "../../../ports/gateway.js";
import type { Draft } from "../../draft/draft.js";
import type { Order } from "../store/order.js";
import type { OrderStore } from "../store/order-store.js";

const BACK_OFF = { firstMs: 100, maxMs: 10_000 };
/** Failed writes before the person is told of the delay. */
const TRIES_IN_SILENCE = 4;

/** The outcome of a confirmation. `draft`: the draft to continue with, if any. */
export type Payment =
  | { kind: "accepted"; order: Order; chargedKopecks: Kopecks }
  /** The draft has changed or was already ordered, or the next start continues with the order. */
  | { kind: "stale" }
  | { kind: "no_money"; missingKopecks: Kopecks; draft: Draft | undefined; order: Order }
  | { kind: "price_changed"; draft: Draft | undefined; order: Order }
  | { kind: "refused"; code: ContractErrorCode; draft: Draft | undefined; order: Order }
  | { kind: "unavailable"; reason: UnavailableReason; draft: Draft | undefined; order: Order }
  | { kind: "uncertain"; order: Order };

interface CheckoutParts {
  orders: OrderStore;
  gateways: Gateways;
  clock: Clock;
  ids: Ids;
  logger: Logger;
  /** Called once per order whose outcome cannot be written yet. */
  onDelay: (order: Order) => void;
}

/** Submits each confirmed draft once, at the price shown. */
export class Checkout {
  readonly #parts: CheckoutParts;

  constructor(parts: CheckoutParts) {
    this.#parts = parts;
  }

  /**
   * Claims the order of a draft, or returns undefined when it has changed or was already ordered.
   * @param request has links that the core can read
   */
  async claim(
    draft: Draft,
    model: Model,
    userName: string,
    quotedKopecks: Kopecks,
    request: GenerationRequest,
  ): Promise<Order | undefined> {
    const { orders, ids, logger } = this.#parts;
    const modelTitle = model.title;
    const claim = { orderId: ids.order(), draft, userName, modelTitle, request, quotedKopecks };
    const order = await orders.claim(claim);
    if (order)
      logger.info({ order_id: order.id, user_id: order.userId, kopecks: quotedKopecks }, "order claimed");
    return order;
  }

  /** Submits a claimed order. May be repeated for an order only where `submitIsExactlyOnce`. */
  async submit(order: Order): Promise<Payment> {
    const { gateways, orders, logger } = this.#parts;
    const gateway = await gateways.of({ id: order.userId, name: order.userName });
    if (gateway === NOT_CONNECTED) {
      const draft = await this.#refuse(order, "not connected");
      return { kind: "unavailable", reason: "unreachable", draft, order };
    }
    const terms = { id: order.id, quotedKopecks: order.quotedKopecks };
    try {
      const { job_ids, cost_rub } = await gateway.submit(order.request, terms);
      const accepted = await this.#untilWritten(order, () => orders.accept(order, job_ids));
      if (!accepted) return { kind: "stale" };
      logger.info({ order_id: order.id, job_ids }, "order placed");
      return { kind: "accepted", order: accepted, chargedKopecks: kopecksOf(cost_rub) };
    } catch (error) {
      return this.#explain(error, order, gateway);
    }
  }

  async #explain(error: unknown, order: Order, gateway: Gateway): Promise<Payment> {
    const { orders, logger } = this.#parts;
    if (error instanceof SubmissionInterruptedError) return { kind: "stale" };
    if (error instanceof UncertainOutcome) {
      await this.#untilWritten(order, () => orders.markUncertain(order));
      logger.error({ order_id: order.id, user_id: order.userId, err: error }, "order outcome uncertain");
      return { kind: "uncertain", order };
    }
    const draft = await this.#refuse(order, error instanceof Error ? error.message : "unknown");
    if (error instanceof PriceChanged) return { kind: "price_changed", draft, order };
    if (error instanceof Unavailable) return { kind: "unavailable", reason: error.reason, draft, order };
    if (error instanceof ContractError && error.code === "insufficient_funds") {
      const missingKopecks = order.quotedKopecks - kopecksOf(await balanceLeft(error, gateway));
      return { kind: "no_money", missingKopecks: Math.max(0, missingKopecks), draft, order };
    }
    if (error instanceof ContractError) return { kind: "refused", code: error.code, draft, order };
    logger.error({ order_id: order.id, err: error }, "order could not be submitted");
    return { kind: "unavailable", reason: "storage", draft, order };
  }

  async #refuse(order: Order, reason: string): Promise<Draft | undefined> {
    const { orders, logger } = this.#parts;
    const refused = await this.#untilWritten(order, () => orders.refuse(order));
    logger.info({ order_id: order.id, reason }, "order refused");
    return refused?.draft;
  }

  /** Retries without limit, for example while the disk is full. */
  #untilWritten<T>(order: Order, write: () => Promise<T>): Promise<T> {
    const { clock, logger, onDelay } = this.#parts;
    const onFailure = (error: unknown, attempt: number) => {
      logger.error({ order_id: order.id, err: error, attempt }, "order outcome not written, trying again");
      if (attempt === TRIES_IN_SILENCE) onDelay(order);
    };
    return untilDone({ clock, backOff: BACK_OFF, onFailure }, write);
  }
}

async function balanceLeft(error: ContractError, gateway: Gateway): Promise<number> {
  if (error.detail.balance !== undefined) return error.detail.balance;
  const balance: Balance = await gateway.balance();
  return balance.amount;
}
