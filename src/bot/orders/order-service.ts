import { isFinished } from "../../contract/job.js";
import { kopecksOf, sumOf } from "../../contract/price.js";
import type { Gateway, GatewayJob, Unsubscribe } from "../../ports/gateway.js";
import { areElsewhere } from "../../service/accounts.js";
import type { BotGround } from "../bot-ground.js";
import { Checkout, type LimitExceeded } from "./checkout.js";
import { Deliver } from "./delivery/deliver.js";
import { DeliveryOffers, DeliveryScheduler } from "./delivery/delivery-scheduler.js";
import { type Order, userOf, type Wish } from "./order.js";
import { type Payment, placeOrder } from "./pay.js";
import { StatusMessages } from "./status-messages.js";

/** Runs orders from the payment to the delivered files, and resumes them after a restart. */
export class OrderService {
  readonly checkout: Checkout;
  readonly #statusMessages: StatusMessages;
  readonly #scheduler: DeliveryScheduler;
  readonly #offers: DeliveryOffers;
  /** Orders whose jobs are followed. */
  readonly #followed = new Map<string, Unsubscribe>();
  #isStopped = false;

  constructor(private readonly bot: BotGround) {
    const uploadingTo = new Set<number>();
    this.checkout = new Checkout(bot, (order) => void this.#show(order));
    this.#statusMessages = new StatusMessages(bot, uploadingTo);
    this.#scheduler = new DeliveryScheduler(bot, new Deliver(bot), this.#statusMessages, uploadingTo);
    this.#offers = new DeliveryOffers(bot);
  }

  start(): void {
    this.#scheduler.start();
    this.#statusMessages.start();
    for (const order of this.bot.orders.inState("accepted")) this.#follow(order);
    this.checkout.start();
  }

  /** Stops the work in progress. The next start resumes it. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const id of [...this.#followed.keys()]) this.#forget(id);
    this.#statusMessages.stop();
    await Promise.all([this.#scheduler.stop(), this.checkout.stop()]);
  }

  /** Charges only the price on the button. The request has links that the core can read. */
  async pay(gateway: Gateway, wish: Wish): Promise<Payment | LimitExceeded> {
    const claim = { ...wish, orderId: this.bot.ids.order() };
    if (areElsewhere(this.bot.accounts)) return this.checkout.pay(claim, gateway);
    const payment = await placeOrder(claim, gateway, this.bot);
    if (payment.kind === "accepted") void this.#show(payment.order);
    return payment;
  }

  /** Resumes the person's parked deliveries, if any, and offers the expired ones. */
  onContact(userId: number): Promise<void> | undefined {
    void this.#offers.onContact(userId);
    return this.#scheduler.onContact(userId);
  }

  get isDelivering(): boolean {
    return this.#scheduler.isBusy;
  }

  /** Sends the expired deliveries now. Resolves to the number of orders. */
  async deliverExpired(userId: number): Promise<number> {
    const orderIds = await this.bot.orders.reopenExpired(userId);
    for (const orderId of orderIds) this.#scheduler.enqueue(orderId);
    return orderIds.length;
  }

  /** Makes the card the status message. A further take has no card, and gets a message of its own. */
  async #show(order: Order): Promise<void> {
    const shown = order.statusMessageId === null ? await this.#statusMessages.begin(order) : order;
    this.#statusMessages.update(shown, []);
    this.#follow(shown);
  }

  /** Follows the jobs of an order, and starts its delivery when the last one has ended. */
  #follow(order: Order): void {
    const { id, jobIds } = order;
    if (this.#isStopped || this.#followed.has(id)) return;
    const watched = { id, user: userOf(order), jobIds };
    this.#followed.set(
      id,
      this.bot.jobFeed.watch(watched, (jobs) => this.#update(order, jobs)),
    );
  }

  async #update(order: Order, jobs: readonly GatewayJob[]): Promise<void> {
    const { orders, logger } = this.bot;
    if (!jobs.every(isFinished)) return this.#statusMessages.update(order, jobs);
    // What the service says to have given back for failed jobs.
    const refunded = jobs.filter(({ status, refund }) => status === "error" && refund === "made");
    if (await orders.finishJobs(order, sumOf(refunded.map(({ cost_rub }) => kopecksOf(cost_rub))))) {
      logger.info({ order_id: order.id, statuses: jobs.map(({ status }) => status) }, "order finished");
      this.#statusMessages.pause(order.id);
      this.#scheduler.enqueue(order.id);
    }
    // Last: nobody hears of a fault after it.
    this.#forget(order.id);
  }

  #forget(orderId: string): void {
    this.#followed.get(orderId)?.();
    this.#followed.delete(orderId);
  }
}
