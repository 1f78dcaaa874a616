import { isFinished } from "../../contract/job.js";
import { type Kopecks, kopecksOf, sumOf } from "../../contract/price.js";
import { sleep } from "../../platform/clock.js";
import type { Gateway, GatewayJob, Unsubscribe } from "../../ports/gateway.js";
import { areElsewhere } from "../../service/accounts.js";
import type { BotGround } from "../bot-ground.js";
import { type Allowance, LimitExceededError } from "../people/spending.js";
import { isInGroup } from "../telegram/place.js";
import type { SpooledAcceptance } from "./accepted-spool.js";
import { Checkout } from "./checkout.js";
import { Deliver } from "./delivery/deliver.js";
import { DeliveryOffers, DeliveryScheduler } from "./delivery/delivery-scheduler.js";
import { type Claim, type Order, type TakeClaim, userOf, type Wish } from "./order.js";
import { type Payment, paymentText, placeOrder } from "./pay.js";
import { StatusMessages } from "./status-messages.js";
import { UncertainOrders } from "./uncertain-orders.js";

/** Milliseconds that a person waits at a button. */
const SUBMISSION_WAIT_MS = 9000;
/** Milliseconds that a stop waits for outcomes that nobody waits for at a button. */
const LATE_END_MS = 7000;

export interface LimitExceeded {
  kind: "limit_exceeded";
  allowance: Allowance;
}

/** Follows the jobs of accepted orders and starts the delivery when the last job has ended. */
export class OrderTracker {
  readonly #followed = new Map<string, Unsubscribe>();
  #isStopped = false;

  /** @param onDeliveryDue called after the delivery row of a finished order was committed */
  constructor(
    private readonly bot: BotGround,
    private readonly onProgress: (order: Order, jobs: readonly GatewayJob[]) => void,
    private readonly onDeliveryDue: (order: Order) => void,
  ) {}

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
      this.bot.jobFeed.watch(watched, (jobs) => this.#update(order, jobs)),
    );
  }

  async #update(order: Order, jobs: readonly GatewayJob[]): Promise<void> {
    const { orders, logger } = this.bot;
    if (!jobs.every(isFinished)) return this.onProgress(order, jobs);
    if (await orders.finishJobs(order, refundOf(jobs))) {
      logger.info({ order_id: order.id, statuses: jobs.map(({ status }) => status) }, "order finished");
      this.onDeliveryDue(order);
    }
    // Last: nobody hears of a fault after it.
    this.#forget(order.id);
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

/** Runs orders from the payment to the delivered files, and resumes them after a restart. */
export class OrderService {
  readonly uncertainOrders: UncertainOrders;
  readonly #checkout: Checkout;
  /** Submissions whose person no longer waits at the button. */
  readonly #late = new Set<Promise<void>>();
  /** Orders whose person knows of the delay. */
  readonly #delayTold = new Set<string>();
  readonly #tracker: OrderTracker;
  readonly #statusMessages: StatusMessages;
  readonly #scheduler: DeliveryScheduler;
  readonly #offers: DeliveryOffers;

  constructor(private readonly bot: BotGround) {
    const uploadingTo = new Set<number>();
    this.#checkout = new Checkout(
      bot,
      (order) => void this.#tellDelay(order, "pay-waiting"),
      ({ id }) => void this.uncertainOrders.announce(id),
    );
    this.uncertainOrders = new UncertainOrders(
      bot,
      this.#checkout,
      (order) => void this.#follow({ order, chargedKopecks: order.quotedKopecks }),
    );
    this.#statusMessages = new StatusMessages(bot, uploadingTo);
    this.#scheduler = new DeliveryScheduler(bot, new Deliver(bot), this.#statusMessages, uploadingTo);
    this.#offers = new DeliveryOffers(bot);
    this.#tracker = new OrderTracker(
      bot,
      (order, jobs) => this.#statusMessages.update(order, jobs),
      ({ id }) => {
        this.#statusMessages.pause(id);
        this.#scheduler.enqueue(id);
      },
    );
  }

  start(): void {
    this.#scheduler.start();
    this.#statusMessages.start();
    for (const order of this.bot.orders.inState("accepted")) this.#tracker.follow(order);
    const spooled = this.#checkout.readSpooled();
    if (areElsewhere(this.bot.accounts)) this.#checkout.reserveSpool();
    const isSpooled = new Set(spooled.map(({ order_id }) => order_id));
    for (const order of this.#unanswered()) if (!isSpooled.has(order.id)) this.#keepLate(this.#resume(order));
    void this.#recover(spooled);
    this.uncertainOrders.start(isSpooled);
  }

  /** Stops the work in progress. The next start resumes it. */
  async stop(): Promise<void> {
    this.#tracker.stop();
    this.#statusMessages.stop();
    await Promise.all([this.#scheduler.stop(), this.#lateOutcomes()]);
  }

  /** Charges only the price on the button. The request has links that the core can read. */
  async pay(gateway: Gateway, wish: Wish): Promise<Payment | LimitExceeded> {
    const claim = { ...wish, orderId: this.bot.ids.order() };
    if (areElsewhere(this.bot.accounts)) return this.#payElsewhere(gateway, claim);
    const payment = await placeOrder(claim, gateway, this.bot);
    if (payment.kind === "accepted") void this.#follow(payment);
    return payment;
  }

  async #payElsewhere(gateway: Gateway, claim: Claim | TakeClaim): Promise<Payment | LimitExceeded> {
    const order = await this.bot.orders.claim(claim).catch(limitExceeded);
    if (!order) return { kind: "stale" };
    if ("allowance" in order) return order;
    const submission = this.#checkout.submit(order, gateway);
    const payment = await this.#inTime(submission);
    if (!payment) {
      // The handler ends, so that the chat goes on; the outcome comes as a message.
      void this.#tellDelay(order, "pay-slow");
      this.#keepLate(this.#settleLate(order, submission));
      return { kind: "stale" };
    }
    this.#delayTold.delete(order.id);
    if (payment.kind === "accepted") void this.#follow(payment);
    if (payment.kind === "uncertain") await this.uncertainOrders.announce(payment.order.id);
    return payment;
  }

  /** Resumes the person's parked deliveries, if any, and offers the expired ones. */
  onContact(userId: number): Promise<void> | undefined {
    void this.#offers.onContact(userId);
    return this.#scheduler.onContact(userId);
  }

  /** True while a service elsewhere has not answered a matching submission. */
  isUnanswered(matches: (order: Order) => boolean): boolean {
    return areElsewhere(this.bot.accounts) && this.#unanswered().some(matches);
  }

  /** True while files of orders are being sent. */
  get isDelivering(): boolean {
    return this.#scheduler.isBusy;
  }

  /** Sends the expired deliveries now. Resolves to the number of orders. */
  async deliverExpired(userId: number): Promise<number> {
    const orderIds = await this.bot.orders.reopenExpired(userId);
    for (const orderId of orderIds) this.#scheduler.enqueue(orderId);
    return orderIds.length;
  }

  #unanswered(): Order[] {
    const repeated = areElsewhere(this.bot.accounts) ? this.bot.orders.uncertain.repeated() : [];
    return [...this.bot.orders.inState("claimed"), ...repeated];
  }

  /** Resolves to undefined when the submission is not answered within the time that a person waits. */
  async #inTime(submission: Promise<Payment>): Promise<Payment | undefined> {
    const waiting = new AbortController();
    const late = sleep(this.bot.clock, SUBMISSION_WAIT_MS, waiting.signal).then(() => undefined);
    return Promise.race([submission, late]).finally(() => waiting.abort());
  }

  #keepLate(late: Promise<void>): void {
    this.#late.add(late);
    void late.finally(() => this.#late.delete(late));
  }

  async #lateOutcomes(): Promise<void> {
    const waiting = new AbortController();
    const deadline = sleep(this.bot.clock, LATE_END_MS, waiting.signal);
    await Promise.race([Promise.allSettled(this.#late), deadline]).finally(() => waiting.abort());
  }

  async #settleLate(order: Order, submission: Promise<Payment>): Promise<void> {
    try {
      await this.#settle(order, await submission);
    } catch (error) {
      this.bot.logger.error({ order_id: order.id, err: error }, "late outcome not sent");
    } finally {
      this.#delayTold.delete(order.id);
    }
  }

  async #follow({
    order,
    chargedKopecks,
  }: Omit<Extract<Payment, { kind: "accepted" }>, "kind">): Promise<void> {
    if (chargedKopecks !== order.quotedKopecks) void this.#tellCharge(order, chargedKopecks);
    // A further take has no card that could become the status message.
    const shown = order.statusMessageId === null ? await this.#statusMessages.begin(order) : order;
    this.#statusMessages.update(shown, []);
    this.#tracker.follow(shown);
  }

  /** Tells that the service charged another sum than it told before. */
  async #tellCharge(order: Order, chargedKopecks: Kopecks): Promise<void> {
    const { outbox, languageOf, logger } = this.bot;
    const { t, money } = languageOf(order.userId);
    const facts = { order_id: order.id, quoted: order.quotedKopecks, charged: chargedKopecks };
    logger.warn(facts, "another sum was charged than quoted");
    const sums = { charged: money(chargedKopecks), quoted: money(order.quotedKopecks) };
    await outbox
      .say(order, { text: t("pay-other-sum", sums) })
      .catch((error: unknown) => logger.warn({ ...facts, err: error }, "charge not told"));
  }

  async #recover(spooled: readonly SpooledAcceptance[]): Promise<void> {
    const onAccepted = (order: Order) => {
      void this.#follow({ order, chargedKopecks: order.quotedKopecks });
      void this.uncertainOrders.announce(order.id);
    };
    await this.#checkout.recover(spooled, onAccepted, (id) => void this.uncertainOrders.announce(id));
  }

  /** Resumes a claimed order, of which it is unknown whether it was submitted before the process ended. */
  async #resume(order: Order): Promise<void> {
    const { logger } = this.bot;
    logger.info({ order_id: order.id }, "order resumed");
    try {
      await this.#settle(order, await this.#checkout.resume(order));
    } catch (error) {
      logger.error({ order_id: order.id, err: error }, "order not resumed");
    } finally {
      this.#delayTold.delete(order.id);
    }
  }

  /** Tells of a delay. The outcome is unknown until it is written, so the message promises nothing. */
  async #tellDelay(order: Order, key: "pay-waiting" | "pay-slow"): Promise<void> {
    if (this.#delayTold.has(order.id)) return;
    this.#delayTold.add(order.id);
    const { outbox, languageOf, logger } = this.bot;
    await outbox
      .say(order, { text: languageOf(order.userId).t(key) })
      .catch((error: unknown) => logger.warn({ order_id: order.id, err: error }, "delay notice not sent"));
  }

  /** Reports the outcome of a payment to a person who no longer waits at the button. */
  async #settle(order: Order, payment: Payment): Promise<void> {
    if (payment.kind === "stale") return;
    if (payment.kind === "accepted") void this.#follow(payment);
    const wasInDoubt = this.bot.orders.uncertain.findByOrder(order.id) !== undefined;
    if (wasInDoubt) return this.uncertainOrders.announce(order.id);
    if (payment.kind === "accepted" || payment.kind === "uncertain") return;
    const { outbox, cards, gateways, languageOf, people, supportContact, topUps } = this.bot;
    const audience = { language: languageOf(order.userId), isGroup: isInGroup(order) };
    const text = paymentText(payment, audience, { supportContact, topUps });
    await outbox.say(order, { text });
    const person = people.find(order.userId);
    if (!person || !payment.draft) return;
    await cards.repost(payment.draft, { person, gateway: await gateways.of(person) });
  }
}

function limitExceeded(error: unknown): LimitExceeded {
  if (error instanceof LimitExceededError) return { kind: "limit_exceeded", allowance: error.allowance };
  throw error;
}
