import { setMaxListeners } from "node:events";
import type { Update } from "grammy/types";
import type { Clock } from "../../platform/clock.js";
import type { Logger } from "../../platform/logger.js";
import { retry } from "../../platform/retry.js";
import { type Slot, Slots } from "../../platform/slots.js";
import { isPaymentMessage } from "../payments/reconciliation.js";
import { originOf, queuesOf, senderOf } from "../telegram/place.js";
import type { Inbox } from "./inbox.js";

/** Milliseconds after which a handler counts as slow: it waits for the network and no longer blocks others. */
const SLOW_MS = 250;
/** Slow or queued handlers allowed before they block others. */
const WAITING_MAX = 5000;
/** Updates of a sender in progress, of which more are a flood. */
const OF_ONE_MAX = 100;
/** Handlers that run at once, beside slow and queued ones. */
const STARTED_AT_ONCE = 64;
const FINISH_BACK_OFF = { firstMs: 300, maxMs: 15_000 };
const FINISH_TRIES = 20;
const DRAIN_MS = 5000;

interface UpdateProcessorParts {
  pass: (update: Update) => Promise<void>;
  /** True for an update that is handled although its sender floods the bot. */
  isKept: (update: Update) => boolean;
  /** Called with each update that is dropped, after it has left the inbox. */
  onDropped: (update: Update) => void;
  inbox: Inbox;
  clock: Clock;
  logger: Logger;
  /** Aborts at shutdown, which ends the retries of calls. */
  stopping: AbortSignal;
}

/** Handles updates. Slow handlers, and those that wait for others of their chat, do not block others from starting. */
export class UpdateProcessor {
  readonly #open = new Set<number>();
  /** Bounds what runs at once, while many more updates are fetched: a payment may be waiting among them. */
  readonly #running: Slots;
  readonly #ofQueue = new Map<string, number>();
  readonly #draining = new AbortController();
  /** True after the drain: handlers that end later may have been interrupted. */
  #isOver = false;

  constructor(private readonly parts: UpdateProcessorParts) {
    // Every waiting update adds a listener.
    setMaxListeners(0, this.#draining.signal);
    const limits = { size: STARTED_AT_ONCE, slowAfterMs: SLOW_MS, slowMax: WAITING_MAX };
    this.#running = new Slots(parts.clock, limits);
  }

  /**
   * Resolves when the update was handled or no longer blocks others. One that has not started before the drain is left
   * to the next start. One of a form that nobody foresaw counts as handled: it must not end the polls. Never rejects.
   */
  async consume(update: Update): Promise<void> {
    const { update_id } = update;
    this.#open.add(update_id);
    // A payment waits for no other update.
    const isStarted =
      !this.#draining.signal.aborted && (this.#running.isFree || isPaymentMessage(update.message));
    const nextSlot = () => this.#running.acquire(this.#draining.signal).catch(() => undefined);
    const slot = isStarted ? this.#running.take() : await nextSlot();
    if (!slot) return;
    await this.#start(update, slot).catch((error: unknown) => {
      this.parts.logger.error({ update_id, err: error }, "update failed");
      slot.release();
      this.#open.delete(update_id);
      return this.#finish(update_id);
    });
  }

  /** Starts each suspect when the one before, or all that begin before the first, have ended. Never rejects. */
  async startSuspects(suspects: readonly number[], before: readonly number[]): Promise<void> {
    const { inbox, clock, logger } = this.parts;
    const onFailure = (error: unknown) => logger.error({ err: error }, "update not started");
    const { signal } = this.#draining;
    const repeated = <T>(work: () => Promise<T>) =>
      retry({ clock, backOff: FINISH_BACK_OFF, onFailure, signal }, work).catch(onFailure);
    await repeated(() => inbox.handled(before, signal));
    for (const id of suspects) {
      if (signal.aborted) return;
      this.#open.add(id);
      const update = await repeated(() => inbox.startSuspect(id));
      if (update) void this.consume(update);
      else this.#open.delete(id);
      await repeated(() => inbox.handled([id], signal));
    }
  }

  async #start(update: Update, slot: Slot): Promise<void> {
    const { isKept, logger, onDropped } = this.parts;
    const origin = originOf(update);
    const sender = senderOf(origin);
    if ((this.#ofQueue.get(sender) ?? 0) < OF_ONE_MAX || isKept(update)) {
      const queues = [...new Set([...queuesOf(origin), sender])];
      if (isPaymentMessage(update.message) || queues.some((queue) => this.#ofQueue.has(queue))) slot.leave();
      for (const queue of queues) this.#count(queue, 1);
      void this.#handle(update).finally(() => {
        for (const queue of queues) this.#count(queue, -1);
        slot.release();
      });
      return slot.left;
    }
    const ids = { update_id: update.update_id, chat_id: origin.chatId, user_id: origin.from?.id };
    logger.warn(ids, "update dropped: its sender floods the bot");
    this.#open.delete(update.update_id);
    await this.#finish(update.update_id);
    onDropped(update);
    slot.release();
  }

  #count(queue: string, by: 1 | -1): void {
    const count = (this.#ofQueue.get(queue) ?? 0) + by;
    if (count > 0) this.#ofQueue.set(queue, count);
    else this.#ofQueue.delete(queue);
  }

  /** Waits up to 5 s for running handlers. Interrupted updates run again without a counted try. */
  async drain(): Promise<void> {
    const { inbox, logger } = this.parts;
    this.#draining.abort();
    await this.#running.idle(DRAIN_MS);
    this.#isOver = true;
    const updates = this.#running.held;
    if (updates > 0) logger.warn({ updates }, "stopped with updates in flight: they run again");
    if (this.#open.size === 0) return;
    await inbox
      .putBack([...this.#open])
      .catch((error: unknown) => logger.error({ err: error }, "attempts of interrupted updates not reset"));
  }

  /** Handles an update. One whose handler fails counts as handled. One that shutdown interrupts runs again. */
  async #handle(update: Update): Promise<void> {
    const { pass, logger, stopping } = this.parts;
    const { update_id } = update;
    const started = performance.now();
    try {
      await pass(update);
      logger.debug({ update_id, ms: Math.round(performance.now() - started) }, "update handled");
    } catch (error) {
      if (stopping.aborted)
        return logger.info({ update_id, err: error }, "update interrupted: it runs again");
      logger.error({ update_id, err: error }, "update failed");
    }
    if (this.#isOver) return;
    this.#open.delete(update_id);
    // Not awaited. A crash before the commit runs the update again, which every handler must tolerate.
    void this.#finish(update_id);
  }

  /** Retries, because an unfinished update runs again at the next start. Never rejects. */
  async #finish(update_id: number): Promise<void> {
    const { inbox, clock, logger } = this.parts;
    const onFailure = (err: unknown, attempt: number) =>
      logger.error({ update_id, attempt, err }, "update not finished");
    const options = { clock, backOff: FINISH_BACK_OFF, maxTries: FINISH_TRIES, onFailure };
    await retry(options, () => inbox.finish(update_id)).catch((error: unknown) =>
      onFailure(error, FINISH_TRIES),
    );
  }
}
