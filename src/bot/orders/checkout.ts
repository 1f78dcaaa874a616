import {
  ContractError,
  type ContractErrorCode,
  PriceChanged,
  Unavailable,
  type UnavailableReason,
  UncertainOutcome,
} from "../../contract/errors.js";
import { type Balance, type Gateway, type Gateways, NOT_CONNECTED } from "../../contract/gateway.js";
import type { Model } from "../../contract/model.js";
import type { Accepted, GenerationRequest } from "../../contract/request.js";
import type { Clock } from "../../platform/clock.js";
import type { Ids } from "../../platform/ids.js";
import type { Logger } from "../../platform/logger.js";
import { type Kopecks, kopecksOf } from "../../platform/money.js";
import { untilDone } from "../../platform/retry.js";
import type { Draft } from "../create/draft.js";
import type { Order } from "./order.js";
import type { Orders } from "./orders.js";

const BACK_OFF = { firstMs: 100, maxMs: 10_000 };
/** A write that fails this often takes longer than anybody likes to wait without a word. */
const TRIES_IN_SILENCE = 4;

/** What came of a confirmation. `draft` is the draft to go on with, where there is one. */
export type Payment =
  | { kind: "accepted"; order: Order }
  /** The draft had changed or was already ordered: nothing new happened. */
  | { kind: "stale" }
  | { kind: "no_money"; missingKopecks: Kopecks; draft: Draft | undefined; order: Order }
  | { kind: "price_changed"; draft: Draft | undefined; order: Order }
  | { kind: "refused"; code: ContractErrorCode; draft: Draft | undefined; order: Order }
  | { kind: "unavailable"; reason: UnavailableReason; draft: Draft | undefined; order: Order }
  | { kind: "uncertain"; order: Order };

interface CheckoutParts {
  orders: Orders;
  gateways: Gateways;
  clock: Clock;
  ids: Ids;
  logger: Logger;
  /** Told once of an order whose outcome cannot be written down yet: its person waits for it. */
  onDelay: (order: Order) => void;
}

/** One confirmation, one paid submission, at the price shown. */
export class Checkout {
  readonly #parts: CheckoutParts;

  constructor(parts: CheckoutParts) {
    this.#parts = parts;
  }

  /**
   * Claims the draft, then submits it.
   * @param quotedKopecks the price on the button that was tapped: no other price is ever charged
   * @param request what the draft asks for, with links that the core can read
   */
  async pay(
    draft: Draft,
    model: Model,
    userName: string,
    quotedKopecks: Kopecks,
    request: GenerationRequest,
  ): Promise<Payment> {
    const { orders, ids, logger } = this.#parts;
    const orderId = ids.order();
    const claim = orders.claim({
      orderId,
      draft,
      userName,
      modelTitle: model.title,
      request,
      quotedKopecks,
    });
    // A commit that was reported as failed may have reached the disk: then the order goes on.
    const order = await claim.catch((error: unknown) => {
      const written = orders.find(orderId);
      if (!written) throw error;
      return written;
    });
    if (!order) return { kind: "stale" };
    logger.info({ order_id: order.id, user_id: order.userId, kopecks: quotedKopecks }, "order claimed");
    return this.submit(order);
  }

  /** Submits a claimed order. Safe to call again for one order only where `submitIsExactlyOnce`. */
  async submit(order: Order): Promise<Payment> {
    const { gateways, orders, logger } = this.#parts;
    const gateway = await gateways.of({ id: order.userId, name: order.userName });
    if (gateway === NOT_CONNECTED) {
      const draft = await this.#refuse(order, "not connected");
      return { kind: "unavailable", reason: "unreachable", draft, order };
    }
    try {
      const { job_ids } = await this.#send(order, gateway);
      const accepted = await this.#untilWritten(order, () => orders.accept(order, job_ids));
      logger.info({ order_id: order.id, job_ids }, "order placed");
      return { kind: "accepted", order: accepted };
    } catch (error) {
      return this.#explain(error, order, gateway);
    }
  }

  /**
   * Asks once more where the first error says nothing of the order itself: a charge whose commit was reported as
   * failed may have reached the disk, and then the second answer is that of the first.
   */
  async #send(order: Order, gateway: Gateway): Promise<Accepted> {
    const { gateways, logger } = this.#parts;
    const terms = { id: order.id, quotedKopecks: order.quotedKopecks };
    try {
      return await gateway.submit(order.request, terms);
    } catch (error) {
      if (!gateways.submitIsExactlyOnce || isAnswer(error)) throw error;
      logger.warn({ order_id: order.id, err: error }, "order submitted once more");
      return gateway.submit(order.request, terms);
    }
  }

  async #explain(error: unknown, order: Order, gateway: Gateway): Promise<Payment> {
    const { orders, logger } = this.#parts;
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
    const draft = await this.#untilWritten(order, () => orders.refuse(order));
    logger.info({ order_id: order.id, reason }, "order refused");
    return draft;
  }

  /** What came of a submission must be written, however long the disk is full. */
  #untilWritten<T>(order: Order, write: () => Promise<T>): Promise<T> {
    const { clock, logger, onDelay } = this.#parts;
    const onFailure = (error: unknown, attempt: number) => {
      logger.error({ order_id: order.id, err: error, attempt }, "order outcome not written, trying again");
      if (attempt === TRIES_IN_SILENCE) onDelay(order);
    };
    return untilDone({ clock, backOff: BACK_OFF, onFailure }, write);
  }
}

/** True when the order itself was judged, or must not be sent again. */
function isAnswer(error: unknown): boolean {
  return error instanceof ContractError || error instanceof PriceChanged || error instanceof UncertainOutcome;
}

async function balanceLeft(error: ContractError, gateway: Gateway): Promise<number> {
  if (error.detail.balance !== undefined) return error.detail.balance;
  const balance: Balance = await gateway.balance();
  return balance.amount;
}
