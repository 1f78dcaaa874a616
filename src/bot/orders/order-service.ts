import { isDeepStrictEqual } from "node:util";
import type { Api } from "grammy";
import type { Kopecks } from "../../contract/price.js";
import { type Clock, sleep } from "../../platform/clock.js";
import type { Ids } from "../../platform/ids.js";
import type { Logger } from "../../platform/logger.js";
import type { Gateway } from "../../ports/gateway.js";
import type { JobFeed } from "../../ports/job-feed.js";
import { areElsewhere } from "../../service/accounts.js";
import type { TopUps } from "../payments/top-ups.js";
import { type Allowance, LimitExceededError } from "../people/spending.js";
import { isInGroup } from "../telegram/place.js";
import type { AcceptedSpool, SpooledAcceptance } from "./accepted-spool.js";
import { Checkout, RunningSubmissions } from "./checkout.js";
import { Deliver } from "./delivery/deliver.js";
import { DeliveryOffers, DeliveryScheduler } from "./delivery/delivery-scheduler.js";
import type { Claim, Order, TakeClaim, Wish } from "./order.js";
import type { OrderStore } from "./order-store.js";
import { type Payment, paymentText, placeOrder, ToldLimits } from "./pay.js";
import { ChatActivity, FinalStatus, OrderTracker, StatusMessages } from "./status-messages.js";
import { UncertainOrders, type UncertainParts } from "./uncertain-orders.js";

/** Milliseconds that a person waits at a button. */
const SUBMISSION_WAIT_MS = 9000;
/** Milliseconds that a stop waits for outcomes that nobody waits for at a button. */
const LATE_END_MS = 7000;

export interface LimitExceeded {
  kind: "limit_exceeded";
  allowance: Allowance;
}

interface OrderServiceParts extends Omit<UncertainParts, "onAccepted" | "stopRepeats"> {
  /** Makes single tries: deliveries and status messages time their own. */
  plainApi: Api;
  spool: AcceptedSpool;
  restoredAt?: number | undefined;
  requestBytesMax: number;
  jobFeed: JobFeed;
  clock: Clock;
  ids: Ids;
  topUps: Pick<TopUps, "isOn">;
}

/** Runs orders from the payment to the delivered files, and resumes them after a restart. */
export class OrderService {
  readonly uncertainOrders: UncertainOrders;
  readonly #parts: OrderServiceParts;
  readonly #checkout: Checkout;
  readonly #toldLimits: ToldLimits;
  /** Submissions whose person no longer waits at the button. */
  readonly #late = new Set<Promise<void>>();
  /** Orders whose person knows of the delay. */
  readonly #delayTold = new Set<string>();
  readonly #tracker: OrderTracker;
  readonly #statusMessages: StatusMessages;
  readonly #finalStatus: FinalStatus;
  readonly #scheduler: DeliveryScheduler;
  readonly #offers: DeliveryOffers;

  constructor(parts: OrderServiceParts) {
    const { plainApi } = parts;
    const chatActivity = new ChatActivity();
    this.#parts = parts;
    this.#toldLimits = new ToldLimits(parts.clock);
    const running = new RunningSubmissions();
    this.#checkout = new Checkout({
      ...parts,
      toldLimits: this.#toldLimits,
      running,
      onDelay: (order) => void this.#tellDelay(order, "pay-waiting"),
      onDoubt: ({ id }) => void this.uncertainOrders.announce(id),
    });
    const onAccepted = (order: Order) => this.#follow({ order, chargedKopecks: order.quotedKopecks });
    const stopRepeats = (orderId: string) => running.stop(orderId);
    this.uncertainOrders = new UncertainOrders({ ...parts, onAccepted, stopRepeats });
    this.#statusMessages = new StatusMessages({ ...parts, api: plainApi, chatActivity });
    this.#finalStatus = new FinalStatus({ ...parts, statusMessages: this.#statusMessages });
    const deliver = new Deliver({ ...parts, api: plainApi });
    const finalStatus = this.#finalStatus;
    this.#scheduler = new DeliveryScheduler({ ...parts, deliver, finalStatus, chatActivity });
    this.#offers = new DeliveryOffers(parts);
    this.#tracker = new OrderTracker({
      ...parts,
      onProgress: (order, jobs) => this.#statusMessages.update(order, jobs),
      onFinished: ({ id }) => {
        this.#statusMessages.pause(id);
        this.#scheduler.enqueue(id);
      },
    });
  }

  start(): void {
    this.#scheduler.start();
    this.#finalStatus.start();
    for (const order of this.#parts.orders.inState("accepted")) this.#tracker.follow(order);
    const spooled = readSpooled(this.#parts);
    if (areElsewhere(this.#parts.accounts)) reserveSpool(this.#parts);
    const isSpooled = new Set(spooled.map(({ orderId }) => orderId));
    for (const order of this.#unanswered()) if (!isSpooled.has(order.id)) this.#keepLate(this.#resume(order));
    void this.#recover(spooled);
    this.uncertainOrders.start(isSpooled);
  }

  /** Stops the work in progress. The next start resumes it. */
  async stop(): Promise<void> {
    this.#tracker.stop();
    this.#statusMessages.stop();
    this.#finalStatus.stop();
    await Promise.all([this.#scheduler.stop(), this.#lateOutcomes()]);
  }

  /** Charges only the price on the button. The request has links that the core can read. */
  async pay(gateway: Gateway, wish: Wish): Promise<Payment | LimitExceeded> {
    const claim = { ...wish, orderId: this.#parts.ids.order() };
    if (areElsewhere(this.#parts.accounts)) return this.#payElsewhere(gateway, claim);
    const payment = await placeOrder(claim, gateway, { ...this.#parts, toldLimits: this.#toldLimits });
    if (payment.kind === "accepted") this.#follow(payment);
    return payment;
  }

  async #payElsewhere(gateway: Gateway, claim: Claim | TakeClaim): Promise<Payment | LimitExceeded> {
    const order = await this.#parts.orders.claim(claim).catch(limitExceeded);
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
    if (payment.kind === "accepted") this.#follow(payment);
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
    return areElsewhere(this.#parts.accounts) && this.#unanswered().some(matches);
  }

  /** True while files of orders are being sent. */
  get isDelivering(): boolean {
    return this.#scheduler.isBusy;
  }

  /** Sends the expired deliveries now. Resolves to the number of orders. */
  async deliverExpired(userId: number): Promise<number> {
    const orderIds = await this.#parts.orders.reopenExpired(userId);
    for (const orderId of orderIds) this.#scheduler.enqueue(orderId);
    return orderIds.length;
  }

  #unanswered(): Order[] {
    const repeated = areElsewhere(this.#parts.accounts) ? this.#parts.orders.uncertain.repeated() : [];
    return [...this.#parts.orders.inState("claimed"), ...repeated];
  }

  /** Resolves to undefined when the submission is not answered within the time that a person waits. */
  async #inTime(submission: Promise<Payment>): Promise<Payment | undefined> {
    const waiting = new AbortController();
    const late = sleep(this.#parts.clock, SUBMISSION_WAIT_MS, waiting.signal).then(() => undefined);
    return Promise.race([submission, late]).finally(() => waiting.abort());
  }

  #keepLate(late: Promise<void>): void {
    this.#late.add(late);
    void late.finally(() => this.#late.delete(late));
  }

  async #lateOutcomes(): Promise<void> {
    const waiting = new AbortController();
    const deadline = sleep(this.#parts.clock, LATE_END_MS, waiting.signal);
    await Promise.race([Promise.allSettled(this.#late), deadline]).finally(() => waiting.abort());
  }

  async #settleLate(order: Order, submission: Promise<Payment>): Promise<void> {
    try {
      await this.#settle(order, await submission);
    } catch (error) {
      this.#parts.logger.error({ order_id: order.id, err: error }, "late outcome not sent");
    } finally {
      this.#delayTold.delete(order.id);
    }
  }

  #follow({ order, chargedKopecks }: Omit<Extract<Payment, { kind: "accepted" }>, "kind">): void {
    void this.#begin(order);
    if (chargedKopecks !== order.quotedKopecks) void this.#tellCharge(order, chargedKopecks);
  }

  /** Begins the status message of a take, which has no card that could become it. */
  async #begin(order: Order): Promise<void> {
    const shown = order.statusMessageId === null ? await this.#statusMessages.begin(order) : order;
    this.#statusMessages.update(shown, []);
    this.#tracker.follow(shown);
  }

  /** Tells that the service charged another sum than it told before. */
  async #tellCharge(order: Order, chargedKopecks: Kopecks): Promise<void> {
    const { outbox, languageOf, logger } = this.#parts;
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
      this.#follow({ order, chargedKopecks: order.quotedKopecks });
      void this.uncertainOrders.announce(order.id);
    };
    const onUncertain = (orderId: string) => void this.uncertainOrders.announce(orderId);
    await recoverAccepted(spooled, { ...this.#parts, checkout: this.#checkout, onAccepted, onUncertain });
  }

  /** Resumes a claimed order, of which it is unknown whether it was submitted before the process ended. */
  async #resume(order: Order): Promise<void> {
    const { logger } = this.#parts;
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
    const { outbox, languageOf, logger } = this.#parts;
    await outbox
      .say(order, { text: languageOf(order.userId).t(key) })
      .catch((error: unknown) => logger.warn({ order_id: order.id, err: error }, "delay notice not sent"));
  }

  /** Reports the outcome of a payment to a person who no longer waits at the button. */
  async #settle(order: Order, payment: Payment): Promise<void> {
    if (payment.kind === "stale") return;
    if (payment.kind === "accepted") this.#follow(payment);
    const wasInDoubt = this.#parts.orders.uncertain.findByOrder(order.id) !== undefined;
    if (wasInDoubt) return this.uncertainOrders.announce(order.id);
    if (payment.kind === "accepted" || payment.kind === "uncertain") return;
    const { outbox, cards, gateways, languageOf, personOf, supportContact, topUps } = this.#parts;
    const audience = { language: languageOf(order.userId), isGroup: isInGroup(order) };
    const text = paymentText(payment, audience, { supportContact, topUps });
    await outbox.say(order, { text });
    const person = personOf(order.userId);
    if (!person || !payment.draft) return;
    await cards.repost(payment.draft, { person, gateway: await gateways.of(person) });
  }
}

function limitExceeded(error: unknown): LimitExceeded {
  if (error instanceof LimitExceededError) return { kind: "limit_exceeded", allowance: error.allowance };
  throw error;
}

interface RecoveryParts {
  orders: OrderStore;
  spool: AcceptedSpool;
  checkout: Pick<Checkout, "record">;
  logger: Logger;
  onAccepted: (order: Order) => void;
  /** Called with the id of an order whose acceptance cannot be true. */
  onUncertain: (orderId: string) => void;
}

/** Reserves room on the disk. Never throws: without it a full disk leaves the job ids in the log only. */
function reserveSpool({ spool, logger }: Pick<RecoveryParts, "spool" | "logger">): void {
  try {
    spool.reserve();
  } catch (error) {
    logger.warn({ err: error }, "no room reserved for the spool of accepted orders");
  }
}

/** Reads the job ids that an earlier run could not write. Never throws: a claimed order is then uncertain. */
function readSpooled({ spool, logger }: Pick<RecoveryParts, "spool" | "logger">): SpooledAcceptance[] {
  try {
    const { acceptances, unreadable } = spool.read();
    for (const line of unreadable) logger.error({ line }, "spooled acceptance cannot be read");
    return acceptances;
  } catch (error) {
    logger.error({ err: error }, "spool of accepted orders cannot be read");
    return [];
  }
}

/** Writes each acceptance that its order still lacks, and then removes it from the spool. Never throws. */
export async function recoverAccepted(
  acceptances: readonly SpooledAcceptance[],
  parts: RecoveryParts,
): Promise<void> {
  for (const acceptance of acceptances) {
    const ids = { order_id: acceptance.orderId, job_ids: acceptance.jobIds };
    try {
      const accepted = await apply(acceptance, parts);
      if (accepted) {
        parts.logger.info(ids, "order placed by an earlier run");
        parts.onAccepted(accepted);
      } else if (parts.orders.find(acceptance.orderId)?.state === "uncertain") {
        parts.onUncertain(acceptance.orderId);
      }
      parts.spool.remove(acceptance.orderId);
    } catch (error) {
      parts.logger.error({ ...ids, err: error }, "spooled acceptance not applied");
    }
  }
}

async function apply(
  acceptance: SpooledAcceptance,
  { orders, checkout, logger }: RecoveryParts,
): Promise<Order | undefined> {
  const { orderId, jobIds } = acceptance;
  const order = orders.find(orderId);
  if (order?.state === "claimed" || order?.state === "uncertain") return checkout.record(order, acceptance);
  const state = order?.state ?? "unknown";
  if (!order || !isDeepStrictEqual(order.jobIds, jobIds))
    logger.error({ order_id: orderId, job_ids: jobIds, state }, "spooled acceptance fits no order");
  return undefined;
}
