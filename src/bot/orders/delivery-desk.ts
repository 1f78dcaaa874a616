import { type CancelTimer, type Clock, sleep } from "../../platform/clock.js";
import type { Logger } from "../../platform/logger.js";
import { backOffMs, repeat, untilDone } from "../../platform/retry.js";
import type { Deliver, WriteUntilDone } from "./deliver.js";
import type { Deliveries, Delivery } from "./deliveries.js";
import { deliveryFailure, isForGood } from "./delivery-failure.js";
import { DeliveryPlaces } from "./delivery-places.js";
import type { LastWords } from "./last-words.js";

/** Deliveries under way in all: each slow one holds a file open and a connection. */
const MOST_UNDER_WAY = 64;
/** Nobody who has paid waits longer than this once Telegram takes files again. */
const BACK_OFF = { firstMs: 1000, maxMs: 60_000 };
/** What was sent is written soon after the database takes writes again: its chat is kept busy until then. */
const WRITE_BACK_OFF = { firstMs: 100, maxMs: 10_000 };
/** A delivery that could not be made for this long ends, in ms. */
const GIVEN_UP_AFTER_MS = 7 * 24 * 3600 * 1000;
/** Unless it was hardly tried, because the service was down or its person away. */
const GIVEN_UP_AFTER_TRIES = 20;
const SWEEP_INTERVAL_MS = 3600 * 1000;
/** After the database could not be read, in ms. */
const READ_PAUSE_MS = 1000;
const STOP_PATIENCE_MS = 5000;

interface Attempt {
  delivery: Delivery;
  /** Its person has written meanwhile: a 403 that is on its way to us is out of date. */
  isHeardOf: boolean;
}

interface DeliveryDeskParts {
  deliveries: Deliveries;
  /** Sends what is left to send of one delivery. */
  deliver: Deliver;
  /** Told of each order that has ended. */
  lastWords: LastWords;
  clock: Clock;
  logger: Logger;
}

/** Decides when each delivery is tried, one at a time in a chat, until it was sent or can never be. */
export class DeliveryDesk {
  readonly #parts: DeliveryDeskParts;
  readonly #ready: string[] = [];
  readonly #known = new Set<string>();
  readonly #busyChats = new Set<number>();
  readonly #parkedUsers = new Set<number>();
  readonly #underWay = new Set<Attempt>();
  readonly #places: DeliveryPlaces;
  readonly #stopping = new AbortController();
  #cancelSweep: CancelTimer = () => {};
  #whenIdle: (() => void)[] = [];

  constructor(parts: DeliveryDeskParts) {
    this.#parts = parts;
    this.#places = new DeliveryPlaces(parts.clock, () => this.#next());
  }

  /** Takes up what an earlier run left. */
  start(): void {
    for (const { userId } of this.#parts.deliveries.inState("parked")) this.#parkedUsers.add(userId);
    for (const delivery of this.#parts.deliveries.inState("pending")) this.#time(delivery);
    this.#cancelSweep = repeat(this.#parts.clock, SWEEP_INTERVAL_MS, () => this.#sweep());
  }

  /** Sends a delivery now. */
  kick(orderId: string): void {
    if (this.#isStopped() || this.#known.has(orderId)) return;
    this.#known.add(orderId);
    this.#ready.push(orderId);
    this.#next();
  }

  /** A person is there: what was parked for them goes on. Nothing to wait for where nothing was. */
  onContact(userId: number): Promise<void> | undefined {
    for (const attempt of this.#underWay) if (attempt.delivery.userId === userId) attempt.isHeardOf = true;
    return this.#parkedUsers.has(userId) ? this.#unpark(userId) : undefined;
  }

  async #unpark(userId: number): Promise<void> {
    // Before the write: what is parked behind it puts its person down anew.
    this.#parkedUsers.delete(userId);
    try {
      const orderIds = await this.#parts.deliveries.unpark(userId);
      for (const orderId of orderIds) this.kick(orderId);
    } catch (error) {
      this.#parkedUsers.add(userId);
      this.#parts.logger.error({ user_id: userId, err: error }, "parked deliveries not taken up");
    }
  }

  isDelivering(chatId: number): boolean {
    return this.#busyChats.has(chatId);
  }

  /** Lets what is under way end, for some seconds; nothing new is begun. What is cut off goes on at the next start. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#cancelSweep();
    if (this.#underWay.size === 0) return;
    const patience = new AbortController();
    const idle = new Promise<void>((resolve) => this.#whenIdle.push(resolve));
    await Promise.race([idle, sleep(this.#parts.clock, STOP_PATIENCE_MS, patience.signal)]);
    patience.abort();
  }

  #time(delivery: Delivery): void {
    const { clock } = this.#parts;
    const { orderId } = delivery;
    const waitMs = delivery.nextTryAt - clock.now();
    if (waitMs <= 0) this.kick(orderId);
    else clock.after(waitMs, () => this.kick(orderId));
  }

  #isStopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  #next(): void {
    try {
      this.#begin();
    } catch (error) {
      this.#parts.logger.error({ err: error }, "deliveries not read, trying again");
      this.#parts.clock.after(READ_PAUSE_MS, () => this.#next());
    }
  }

  #begin(): void {
    while (this.#places.isFree && this.#underWay.size < MOST_UNDER_WAY && !this.#isStopped()) {
      const delivery = this.#takeReady();
      if (!delivery) return;
      const attempt: Attempt = { delivery, isHeardOf: false };
      this.#underWay.add(attempt);
      this.#busyChats.add(delivery.chatId);
      const leavePlace = this.#places.take();
      void this.#make(attempt).finally(() => {
        this.#underWay.delete(attempt);
        this.#busyChats.delete(delivery.chatId);
        if (this.#underWay.size === 0) for (const resolve of this.#whenIdle.splice(0)) resolve();
        leavePlace();
        this.#next();
      });
    }
  }

  /** The oldest ready delivery whose chat is free. */
  #takeReady(): Delivery | undefined {
    for (const [place, orderId] of this.#ready.entries()) {
      const delivery = this.#parts.deliveries.find(orderId);
      if (delivery && this.#busyChats.has(delivery.chatId)) continue;
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
      const outcome = await this.#send(delivery);
      if ("error" in outcome) await this.#judge(attempt, outcome.error);
      else await this.#end(delivery, outcome.isDone);
    } catch (error) {
      // Only a stop cuts this short: the next start takes the row as it stands.
      this.#parts.logger.error({ order_id: delivery.orderId, err: error }, "delivery outcome not written");
    }
  }

  /** What kept the delivery from being made, or whether anything was made when everything was sent. */
  async #send(delivery: Delivery): Promise<{ isDone: boolean } | { error: unknown }> {
    try {
      return { isDone: await this.#parts.deliver.send(delivery, this.#write(delivery.orderId)) };
    } catch (error) {
      return { error };
    }
  }

  async #end(delivery: Delivery, isDone: boolean): Promise<void> {
    const { deliveries, lastWords, logger } = this.#parts;
    const { orderId, attempts } = delivery;
    await this.#write(orderId)(() => deliveries.end(orderId, "sent", "sent", isDone));
    // They are no part of the delivery, and keep neither this one nor the next waiting.
    void lastWords.say(orderId, isDone);
    logger.info({ order_id: orderId, attempts: attempts + 1 }, "order delivered");
    this.#known.delete(orderId);
  }

  /**
   * Writes what came of a send, however long the database takes no writes: what is not known to have been sent
   * would be sent again.
   */
  #write(orderId: string): WriteUntilDone {
    const { clock, logger } = this.#parts;
    const onFailure = (error: unknown, attempt: number) =>
      logger.error({ order_id: orderId, err: error, attempt }, "delivery outcome not written, trying again");
    const options = { clock, backOff: WRITE_BACK_OFF, onFailure, signal: this.#stopping.signal };
    return (work) => untilDone(options, work);
  }

  async #judge(attempt: Attempt, error: unknown): Promise<void> {
    const { deliveries, clock, logger } = this.#parts;
    const { delivery } = attempt;
    const { orderId, attempts } = delivery;
    const write = this.#write(orderId);
    const failure = deliveryFailure(error);
    logger.warn({ order_id: orderId, failure, attempts: attempts + 1, err: error }, "delivery failed");
    if (isForGood(failure) && delivery.chatId !== delivery.userId) {
      // A group that has shut the bot out, or takes no files: who paid gets them in the private chat.
      await write(() => deliveries.moveChat(orderId, delivery.userId));
      return this.#again(delivery, clock.now());
    }
    switch (failure.kind) {
      case "blocked":
        if (attempt.isHeardOf) return this.#again(delivery, clock.now());
        await write(() => deliveries.park(orderId, "the person has blocked the bot"));
        this.#parkedUsers.add(delivery.userId);
        this.#known.delete(orderId);
        // Its person may have come back meanwhile, perhaps within the same commit.
        if (attempt.isHeardOf) await this.#unpark(delivery.userId);
        if (deliveries.find(orderId)?.state === "pending") this.kick(orderId);
        return;
      case "no_chat":
        return this.#giveUp(delivery, "failed", "chat not found");
      case "refused":
        return this.#giveUp(delivery, "failed", failure.description);
      case "moved":
        await write(() => deliveries.moveChat(orderId, failure.chatId));
        return this.#again(delivery, clock.now());
      case "wait":
        return this.#postpone(delivery, clock.now() + failure.retryAfterMs, "Telegram asked to wait");
      case "again":
        return this.#postpone(delivery, clock.now() + backOffMs(attempts + 1, BACK_OFF), "fault on the way");
    }
  }

  async #postpone(delivery: Delivery, nextTryAt: number, outcome: string): Promise<void> {
    const { deliveries } = this.#parts;
    const { orderId, attempts, createdAt } = delivery;
    const isOld = nextTryAt - createdAt > GIVEN_UP_AFTER_MS;
    if (isOld && attempts >= GIVEN_UP_AFTER_TRIES) return this.#giveUp(delivery, "expired", outcome);
    await this.#write(orderId)(() => deliveries.postpone(orderId, nextTryAt, outcome));
    this.#again(delivery, nextTryAt);
  }

  #again(delivery: Delivery, nextTryAt: number): void {
    this.#known.delete(delivery.orderId);
    if (!this.#isStopped()) this.#time({ ...delivery, nextTryAt });
  }

  /** Ends a delivery that cannot be made: its person is told where possible, and admins find the record. */
  async #giveUp(delivery: Delivery, state: "failed" | "expired", outcome: string): Promise<void> {
    const { deliveries, deliver, lastWords, logger } = this.#parts;
    const { orderId, userId, chatId } = delivery;
    await deliver.apologise(delivery).catch(() => {});
    await this.#write(orderId)(() => deliveries.end(orderId, state, outcome, false));
    void lastWords.say(orderId, false);
    this.#known.delete(orderId);
    logger.error(
      { order_id: orderId, user_id: userId, chat_id: chatId, state, outcome },
      "order not delivered: an admin should look into it",
    );
  }

  /** Ends what was parked for a week. */
  #sweep(): void {
    const { deliveries, clock, logger } = this.#parts;
    for (const delivery of deliveries.inState("parked")) {
      const isOld = clock.now() - delivery.createdAt > GIVEN_UP_AFTER_MS;
      if (!isOld || this.#known.has(delivery.orderId)) continue;
      this.#known.add(delivery.orderId);
      this.#giveUp(delivery, "expired", "its person blocked the bot and did not come back")
        .catch((error: unknown) =>
          logger.error({ order_id: delivery.orderId, err: error }, "delivery not ended"),
        )
        .finally(() => this.#known.delete(delivery.orderId));
    }
  }
}
