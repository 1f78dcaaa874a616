import { HttpError, InlineKeyboard } from "grammy";
import { isJobNotFound } from "../../../contract/errors.js";
import { type CancelTimer, leftMs } from "../../../platform/clock.js";
import { integer } from "../../../platform/integer.js";
import { backOffMs, repeat, retry } from "../../../platform/retry.js";
import { Slots } from "../../../platform/slots.js";
import { DAY_MS, HOUR_MS } from "../../../platform/units.js";
import { type Gateway, NOT_CONNECTED } from "../../../ports/gateway.js";
import type { BotGround } from "../../bot-ground.js";
import {
  mayHaveArrived,
  pauseAfterLoss,
  type TelegramFailure,
  telegramFailure,
} from "../../telegram/failure.js";
import { UnreadableFileError } from "../../telegram/files.js";
import { type Order, userOf } from "../order.js";
import type { Delivery } from "../order-store.js";
import type { StatusMessages } from "../status-messages.js";
import type { Deliver, SendOutcome, WriteUntilDone } from "./deliver.js";
import { UploadError } from "./outgoing-file.js";
import { orderData } from "./result-keyboard.js";

export class DeliveryOffers {
  readonly #telling = new Set<number>();

  constructor(private readonly bot: BotGround) {}

  /** Sends the offer to the private chat, once. Never rejects. */
  async onContact(userId: number): Promise<void> {
    const { orders, logger } = this.bot;
    if (this.#telling.has(userId)) return;
    this.#telling.add(userId);
    try {
      const orderIds = orders.dueOffers(userId);
      if (orderIds.length === 0) return;
      await this.#offer(userId, orderIds);
      await orders.markOffered(orderIds);
      logger.info({ user_id: userId, order_ids: orderIds }, "expired deliveries offered");
    } catch (error) {
      logger.warn({ user_id: userId, err: error }, "expired deliveries not offered");
    } finally {
      this.#telling.delete(userId);
    }
  }

  async #offer(userId: number, orderIds: readonly string[]): Promise<void> {
    const { api, orders, gateways, languageOf } = this.bot;
    const kept: Order[] = [];
    for (const id of orderIds) {
      const order = orders.find(id);
      const gateway = order && (await gateways.ofOrder(id, userOf(order)));
      if (gateway && gateway !== NOT_CONNECTED && (await hasFiles(gateway, order))) kept.push(order);
    }
    const [first] = kept;
    if (!first) return;
    const { t } = languageOf(userId);
    const keyboard = new InlineKeyboard().text(
      t("button-deliver", { count: kept.length }),
      orderData.encode({ orderId: first.id, action: "deliver" }),
    );
    await api.sendMessage(userId, t("delivery-offer", { count: kept.length }), { reply_markup: keyboard });
  }
}

async function hasFiles(gateway: Gateway, { jobIds }: Order): Promise<boolean> {
  const jobs = await Promise.all(jobIds.map((id) => gateway.job(id))).catch((error: unknown) => {
    if (isJobNotFound(error)) return [];
    throw error;
  });
  return jobs.some(({ result }) => [result, ...(result?.tracks ?? [])].some((file) => file?.url != null));
}

/** Pauses between tries. The maximum limits the delay of a paid result after an outage ends. */
const BACK_OFF = { firstMs: 1000, maxMs: 60_000 };
/**
 * Pauses after what may have arrived, and between uploads that are not taken, whose few attempts must outlast most
 * faults. The first break is most likely a passing one.
 */
const LOST_BACK_OFF = { firstMs: 1000, maxMs: 300_000 };

/** `upload_failed`: Telegram is reachable but does not take the files; `times` as in `UploadError`. */
type DeliveryFailure = TelegramFailure | { kind: "upload_failed"; times: number };

/**
 * Classifies any error that is not Telegram's as `again`, and a job that stays unknown as `refused`: a service elsewhere
 * that told its end may not find it for a moment.
 */
function deliveryFailure(error: unknown, attempts: number): DeliveryFailure {
  if (isJobNotFound(error) && attempts >= GIVEN_UP_AFTER_TRIES)
    return { kind: "refused", description: "the files are no longer kept" };
  if (error instanceof UploadError) return { kind: "upload_failed", times: error.times };
  try {
    return telegramFailure(error);
  } catch {
    return { kind: "again" };
  }
}

/**
 * Limits of attempts. Eight at once keep within Telegram's global rate limit; a slower one waits for the network and
 * must not delay others. Each of at most 64 in flight holds the open files of one message, and a connection.
 */
const LIMITS = { size: 8, slowAfterMs: 5000, slowMax: 56 };
/** Pauses between writes, short because the chat accepts no other delivery until the outcome is written. */
const WRITE_BACK_OFF = { firstMs: 100, maxMs: 10_000 };
/** Age at which a delivery expires, in ms. A pending one also needs `GIVEN_UP_AFTER_TRIES` failures. */
const GIVEN_UP_AFTER_MS = 7 * DAY_MS;
const GIVEN_UP_AFTER_TRIES = 20;
const SWEEP_INTERVAL_MS = HOUR_MS;
const READ_PAUSE_MS = 1000;
const STOP_PATIENCE_MS = 5000;

/** A write that the stop interrupted: it says nothing of the delivery. */
class UnwrittenError extends Error {
  override readonly name = "UnwrittenError";
}

interface Attempt {
  delivery: Delivery;
  /** True when the person has written during the attempt: a 403 received after that is out of date. */
  isBack: boolean;
}

/** Schedules delivery attempts, one at a time per chat, until each delivery ends. */
export class DeliveryScheduler {
  readonly #ready: string[] = [];
  readonly #known = new Set<string>();
  readonly #parkedUsers = new Set<number>();
  readonly #inFlight = new Set<Attempt>();
  readonly #slots: Slots;
  readonly #stopping = new AbortController();
  #cancelSweep: CancelTimer = () => {};

  /** @param uploadingTo the chats to which a delivery is being sent */
  constructor(
    private readonly bot: BotGround,
    private readonly deliver: Deliver,
    private readonly statusMessages: Pick<StatusMessages, "showFinal">,
    private readonly uploadingTo: Set<number>,
  ) {
    this.#slots = new Slots(bot.clock, LIMITS, () => this.#next());
  }

  start(): void {
    for (const { user_id } of this.bot.orders.deliveriesInState("parked")) this.#parkedUsers.add(user_id);
    const { orders, clock } = this.bot;
    for (const { order_id, next_try_at } of orders.deliveriesInState("pending"))
      this.#time(order_id, leftMs(next_try_at, clock.now(), BACK_OFF.maxMs));
    this.#cancelSweep = repeat(clock, SWEEP_INTERVAL_MS, () => this.#sweep());
  }

  /** True while a delivery is sent, or waits for nothing but its turn. */
  get isBusy(): boolean {
    return this.#ready.length > 0 || this.#inFlight.size > 0;
  }

  enqueue(orderId: string): void {
    if (this.#stopping.signal.aborted || this.#known.has(orderId)) return;
    this.#known.add(orderId);
    this.#ready.push(orderId);
    this.#next();
  }

  /** Resumes the person's parked deliveries. Returns undefined when there are none. */
  onContact(userId: number): Promise<void> | undefined {
    for (const attempt of this.#inFlight) if (attempt.delivery.user_id === userId) attempt.isBack = true;
    return this.#parkedUsers.has(userId) ? this.#unpark(userId) : undefined;
  }

  async #unpark(userId: number): Promise<void> {
    // Before the write: a delivery parked after it adds the person again.
    this.#parkedUsers.delete(userId);
    try {
      const orderIds = await this.bot.orders.unpark(userId);
      for (const orderId of orderIds) this.enqueue(orderId);
    } catch (error) {
      this.#parkedUsers.add(userId);
      this.bot.logger.error({ user_id: userId, err: error }, "parked deliveries not resumed");
    }
  }

  /** Starts no further delivery and waits up to 5 s for those in flight. The next start resumes the rest. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#cancelSweep();
    await this.#slots.idle(STOP_PATIENCE_MS);
  }

  #time(orderId: string, waitMs: number): void {
    if (waitMs <= 0) this.enqueue(orderId);
    else this.bot.clock.after(waitMs, () => this.enqueue(orderId));
  }

  #next(): void {
    try {
      this.#begin();
    } catch (error) {
      this.bot.logger.error({ err: error }, "deliveries not read, trying again");
      this.bot.clock.after(READ_PAUSE_MS, () => this.#next());
    }
  }

  #begin(): void {
    while (this.#slots.isFree && !this.#stopping.signal.aborted) {
      const delivery = this.#takeReady();
      if (!delivery) return;
      const attempt: Attempt = { delivery, isBack: false };
      this.#inFlight.add(attempt);
      this.uploadingTo.add(delivery.chat_id);
      const slot = this.#slots.take();
      void this.#make(attempt).finally(() => {
        this.#inFlight.delete(attempt);
        this.uploadingTo.delete(delivery.chat_id);
        slot.release();
      });
    }
  }

  #takeReady(): Delivery | undefined {
    const { orders } = this.bot;
    for (const [place, orderId] of this.#ready.entries()) {
      const delivery = orders.findDelivery(orderId);
      if (delivery && this.uploadingTo.has(delivery.chat_id)) continue;
      this.#ready.splice(place, 1);
      if (delivery?.state === "pending") return delivery;
      this.#known.delete(orderId);
      return this.#takeReady();
    }
    return undefined;
  }

  async #make(attempt: Attempt): Promise<void> {
    const { delivery } = attempt;
    try {
      const sent = await this.deliver
        .send(delivery, this.#write(delivery.order_id))
        .catch((error: unknown) => this.#judge(attempt, error));
      if (sent) this.#ended(delivery, sent);
    } catch (error) {
      // Only `stop` interrupts the writes. The next start continues from the row.
      this.bot.logger.error({ order_id: delivery.order_id, err: error }, "delivery outcome not written");
    }
  }

  #ended({ order_id: orderId, user_id, attempts }: Delivery, sent: SendOutcome): void {
    const { logger } = this.bot;
    this.#showEnd(orderId, sent === "made");
    const event = { order_id: orderId, user_id, attempts: attempts + 1 };
    if (sent === "lost") logger.error(event, "order not delivered: its files are gone");
    else logger.info(event, "order delivered");
  }

  #showEnd(orderId: string, isDone: boolean): void {
    void this.statusMessages.showFinal(orderId, isDone);
    this.#known.delete(orderId);
  }

  /** Retries until the write is committed: a file that is not recorded as sent would be sent again. */
  #write(orderId: string): WriteUntilDone {
    const { clock, logger } = this.bot;
    const onFailure = (error: unknown, attempt: number) =>
      logger.error({ order_id: orderId, err: error, attempt }, "delivery outcome not written, trying again");
    const options = { clock, backOff: WRITE_BACK_OFF, onFailure, signal: this.#stopping.signal };
    return (work) =>
      retry(options, work).catch((cause: unknown) => {
        throw new UnwrittenError("delivery outcome not written", { cause });
      });
  }

  async #judge(attempt: Attempt, error: unknown): Promise<void> {
    if (error instanceof UnwrittenError) throw error;
    const { orders, logger } = this.bot;
    const { delivery } = attempt;
    const { order_id: orderId, attempts } = delivery;
    const write = this.#write(orderId);
    const failure = deliveryFailure(error, attempts);
    // The poll of updates logs an outage of Telegram.
    const isOutage = error instanceof HttpError && !(error.error instanceof UnreadableFileError);
    const level = attempts > 0 && isOutage ? "debug" : "warn";
    logger[level]({ order_id: orderId, failure, attempts: attempts + 1, err: error }, "delivery failed");
    const isForGood = failure.kind === "blocked" || failure.kind === "no_chat" || failure.kind === "refused";
    if (isForGood && delivery.chat_id !== delivery.user_id) {
      // The group blocks the bot or refuses the files: deliver them to the private chat.
      await write(() => orders.moveDelivery(orderId, delivery.user_id));
      return this.#again(delivery);
    }
    switch (failure.kind) {
      // `no_chat` also means that the person has never started the bot in private.
      case "blocked":
      case "no_chat":
        if (attempt.isBack) return this.#again(delivery);
        await write(() => orders.park(orderId, "its person cannot be written to"));
        this.#parkedUsers.add(delivery.user_id);
        this.#known.delete(orderId);
        // The person may have written while the write was being committed.
        if (attempt.isBack) await this.#unpark(delivery.user_id);
        if (orders.findDelivery(orderId)?.state === "pending") this.enqueue(orderId);
        else await this.deliver.askForPrivateChat(delivery).catch(() => {});
        return;
      case "refused":
        return this.#giveUp(delivery, "failed", failure.description);
      case "moved":
        await write(() => orders.moveDelivery(orderId, failure.chatId));
        return this.#again(delivery);
      case "wait":
        return this.#postpone(delivery, failure.retryAfterMs, "Telegram asked to wait");
      case "again": {
        const times = attempts + 1;
        const pauseMs = mayHaveArrived(error)
          ? pauseAfterLoss(times, LOST_BACK_OFF)
          : backOffMs(times, BACK_OFF);
        return this.#postpone(delivery, pauseMs, "fault on the way");
      }
      case "upload_failed": {
        const pauseMs = pauseAfterLoss(failure.times, LOST_BACK_OFF);
        return this.#postpone(delivery, pauseMs, "Telegram does not take the upload");
      }
    }
  }

  async #postpone(delivery: Delivery, pauseMs: number, outcome: string): Promise<void> {
    const { orders, clock } = this.bot;
    const { order_id: orderId, attempts, created_at } = delivery;
    const nextTryAt = integer(clock.now() + pauseMs);
    const begun = clock.monotonic();
    const isOld = nextTryAt - created_at > GIVEN_UP_AFTER_MS && attempts >= GIVEN_UP_AFTER_TRIES;
    // An outage does not expire a delivery: its files are kept while the order is open.
    if (isOld && (await this.deliver.isTelegramReached())) return this.#giveUp(delivery, "expired", outcome);
    await this.#write(orderId)(() => orders.postpone(orderId, nextTryAt, outcome));
    this.#again(delivery, begun + pauseMs - clock.monotonic());
  }

  #again({ order_id: orderId }: Delivery, waitMs = 0): void {
    this.#known.delete(orderId);
    if (!this.#stopping.signal.aborted) this.#time(orderId, waitMs);
  }

  async #giveUp(delivery: Delivery, state: "failed" | "expired", outcome: string): Promise<void> {
    const { order_id, user_id, chat_id } = delivery;
    await this.deliver.apologise(delivery).catch(() => {});
    await this.#write(order_id)(() => this.bot.orders.endDelivery(order_id, state, outcome, false));
    this.#showEnd(order_id, false);
    this.bot.logger.error(
      { order_id, user_id, chat_id, state, outcome },
      "order not delivered: an admin should look into it",
    );
  }

  #sweep(): void {
    const { orders, clock, logger } = this.bot;
    for (const delivery of orders.deliveriesInState("parked")) {
      const isOld = clock.now() - delivery.created_at > GIVEN_UP_AFTER_MS;
      if (!isOld || this.#known.has(delivery.order_id)) continue;
      this.#known.add(delivery.order_id);
      this.#giveUp(delivery, "expired", "its person could not be written to and did not come back")
        .catch((error: unknown) =>
          logger.error({ order_id: delivery.order_id, err: error }, "delivery not ended"),
        )
        .finally(() => this.#known.delete(delivery.order_id));
    }
  }
}
