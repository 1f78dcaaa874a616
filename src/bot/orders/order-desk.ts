import type { Api } from "grammy";
import type { Gateways } from "../../contract/gateway.js";
import type { Model } from "../../contract/model.js";
import type { GenerationRequest } from "../../contract/request.js";
import type { Database } from "../../database/database.js";
import type { Clock } from "../../platform/clock.js";
import type { Ids } from "../../platform/ids.js";
import type { Logger } from "../../platform/logger.js";
import type { Kopecks } from "../../platform/money.js";
import { isInGroup } from "../context.js";
import type { CardDesk } from "../create/card-desk.js";
import type { Draft } from "../create/draft.js";
import type { Person } from "../people/people.js";
import { inTopicOrGroup } from "../telegram/topic.js";
import type { Language } from "../texts.js";
import { Checkout, type Payment } from "./checkout.js";
import { Deliver } from "./deliver.js";
import type { Deliveries } from "./deliveries.js";
import { DeliveryDesk } from "./delivery-desk.js";
import { LastWords } from "./last-words.js";
import type { Order } from "./order.js";
import type { Orders } from "./orders.js";
import { paymentText } from "./payment-text.js";
import { StatusBoard } from "./status-board.js";
import { Tracker } from "./tracker.js";

interface OrderDeskParts {
  database: Database;
  /** With retries, for messages to people. */
  api: Api;
  /** Without retries: deliveries and status messages have times of their own. */
  plainApi: Api;
  orders: Orders;
  deliveries: Deliveries;
  gateways: Gateways;
  cards: CardDesk;
  clock: Clock;
  ids: Ids;
  logger: Logger;
  personOf: (userId: number) => Person | undefined;
  languageOf: (userId: number) => Language;
  supportContact: string | undefined;
}

/** The way of every order from the paying tap to the delivered files, and its resumption after a restart. */
export class OrderDesk {
  readonly orders: Orders;
  readonly deliveries: Deliveries;
  readonly #parts: OrderDeskParts;
  readonly #checkout: Checkout;
  readonly #tracker: Tracker;
  readonly #statusBoard: StatusBoard;
  readonly #lastWords: LastWords;
  readonly #deliveryDesk: DeliveryDesk;

  constructor(parts: OrderDeskParts) {
    const {
      database,
      plainApi,
      orders,
      deliveries,
      gateways,
      clock,
      ids,
      logger,
      languageOf,
      supportContact,
    } = parts;
    this.#parts = parts;
    this.orders = orders;
    this.deliveries = deliveries;
    this.#checkout = new Checkout({
      orders,
      gateways,
      clock,
      ids,
      logger,
      onDelay: (order) => void this.#tellDelay(order),
    });
    this.#statusBoard = new StatusBoard({
      api: plainApi,
      clock,
      logger,
      languageOf,
      isDelivering: (chatId) => this.#deliveryDesk.isDelivering(chatId),
    });
    const deliver = new Deliver({
      api: plainApi,
      orders,
      deliveries,
      gateways,
      languageOf,
      supportContact,
    });
    this.#lastWords = new LastWords({
      database,
      orders,
      statusBoard: this.#statusBoard,
      languageOf,
      logger,
    });
    this.#deliveryDesk = new DeliveryDesk({
      deliveries,
      deliver,
      lastWords: this.#lastWords,
      clock,
      logger,
    });
    this.#tracker = new Tracker({
      orders,
      gateways,
      clock,
      logger,
      onProgress: (order, jobs) => this.#statusBoard.show(order, jobs),
      onFinished: ({ id }) => {
        this.#statusBoard.rest(id);
        this.#deliveryDesk.kick(id);
      },
    });
  }

  /** Takes up every order that an earlier run left open. */
  start(): void {
    this.#tracker.start();
    this.#deliveryDesk.start();
    this.#lastWords.start();
    for (const order of this.orders.inState("accepted")) this.#tracker.follow(order);
    for (const order of this.orders.inState("claimed")) void this.#resume(order);
  }

  /** Ends what is under way; what is left is taken up at the next start. */
  async stop(): Promise<void> {
    this.#tracker.stop();
    this.#statusBoard.stop();
    await this.#deliveryDesk.stop();
  }

  /**
   * Pays for a draft at the price that was on the button.
   * @param request what the draft asks for, with links that the core can read
   */
  async pay(
    draft: Draft,
    model: Model,
    person: Person,
    quotedKopecks: Kopecks,
    request: GenerationRequest,
  ): Promise<Payment> {
    const payment = await this.#checkout.pay(draft, model, person.name, quotedKopecks, request);
    if (payment.kind === "accepted") this.#follow(payment.order);
    return payment;
  }

  /** A person is there again: deliveries that waited for them go on. */
  onContact(userId: number): Promise<void> | undefined {
    return this.#deliveryDesk.onContact(userId);
  }

  #follow(order: Order): void {
    this.#statusBoard.show(order, []);
    this.#tracker.follow(order);
  }

  /** An order that was claimed when the process ended: nobody knows whether it had been sent. */
  async #resume(order: Order): Promise<void> {
    const { gateways, orders, logger } = this.#parts;
    logger.info({ order_id: order.id }, "order taken up again");
    try {
      if (gateways.submitIsExactlyOnce) return await this.#settle(await this.#checkout.submit(order));
      await orders.markUncertain(order);
      await this.#settle({ kind: "uncertain", order });
    } catch (error) {
      logger.error({ order_id: order.id, err: error }, "order not taken up");
    }
  }

  /** What came of the order is not known until it is written: until then nothing can be promised. */
  async #tellDelay(order: Order): Promise<void> {
    const { api, languageOf, logger } = this.#parts;
    const words = languageOf(order.userId).t("pay-waiting");
    await inTopicOrGroup(order.threadId, (place) => api.sendMessage(order.chatId, words, place)).catch(
      (error: unknown) => logger.warn({ order_id: order.id, err: error }, "delay not told"),
    );
  }

  /** Tells a person who is not looking at the button any more what came of the payment. */
  async #settle(payment: Payment): Promise<void> {
    if (payment.kind === "stale") return;
    if (payment.kind === "accepted") return this.#follow(payment.order);
    const { api, cards, languageOf, personOf, supportContact } = this.#parts;
    const { order } = payment;
    const reader = { language: languageOf(order.userId), isGroup: isInGroup(order) };
    const text = paymentText(payment, reader, supportContact);
    await inTopicOrGroup(order.threadId, (place) =>
      api.sendMessage(order.chatId, text, { ...place, parse_mode: "HTML" }),
    );
    const person = personOf(order.userId);
    if (person && payment.kind !== "uncertain" && payment.draft) await cards.repost(payment.draft, person);
  }
}
