import { setMaxListeners } from "node:events";
import type { Update } from "grammy/types";
import type { Clock } from "../../platform/clock.js";
import type { Logger } from "../../platform/logger.js";
import { retry } from "../../platform/retry.js";
import { type Slot, Slots } from "../../platform/slots.js";
import { isPaymentMessage } from "../payments/star-reports.js";
import { originOf, queuesOf, senderOf } from "../telegram/update-queues.js";
import { InFlight } from "./in-flight.js";
import type { Inbox } from "./inbox.js";

const LIMITS = { slowMs: 250, mostWaiting: 5000, mostOfOne: 100 };
/** Handlers that run at once, beside slow and queued ones. */
const STARTED_AT_ONCE = 64;
const BACK_OFF = { firstMs: 300, maxMs: 15_000 };
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

export class UpdateProcessor {
  readonly #parts: UpdateProcessorParts;
  readonly #inFlight: InFlight;
  readonly #open = new Set<number>();
  /** Bounds what runs at once, while many more updates are fetched: a payment may be waiting among them. */
  readonly #starts: Slots;
  readonly #draining = new AbortController();
  /** True after the drain: handlers that end later may have been interrupted. */
  #isOver = false;

  constructor(parts: UpdateProcessorParts) {
    this.#parts = parts;
    this.#inFlight = new InFlight(parts.clock, LIMITS);
    // Every waiting update adds a listener.
    setMaxListeners(0, this.#draining.signal);
    this.#starts = new Slots(parts.clock, { size: STARTED_AT_ONCE });
  }

  /**
   * Resolves when the update was handled or no longer blocks others. One that has not started before the drain is left
   * to the next start. Never rejects.
   */
  async consume(update: Update): Promise<void> {
    this.#open.add(update.update_id);
    // A payment waits for no other update.
    if (isPaymentMessage(update.message)) return this.#begin(update);
    const slot = this.#starts.isFree ? this.#starts.take() : await this.#nextStart();
    if (slot) await this.#begin(update).finally(() => slot.release());
  }

  /** Starts an update. One of a form that nobody foresaw counts as handled: it must not end the polls. */
  async #begin(update: Update): Promise<void> {
    const { update_id } = update;
    await this.#start(update).catch((error: unknown) => {
      this.#parts.logger.error({ update_id, err: error }, "update failed");
      this.#open.delete(update_id);
      return this.#finish(update_id);
    });
  }

  /** Resolves to undefined when the drain comes first. */
  #nextStart(): Promise<Slot | undefined> {
    return this.#starts.acquire(this.#draining.signal).catch(() => undefined);
  }

  async #start(update: Update): Promise<void> {
    const { isKept, logger, onDropped } = this.#parts;
    const origin = originOf(update);
    const sender = senderOf(origin);
    if (!this.#inFlight.isFull(sender) || isKept(update))
      return this.#inFlight.add([...new Set([...queuesOf(origin), sender])], this.#handle(update));
    const ids = { update_id: update.update_id, chat_id: origin.chatId, user_id: origin.from?.id };
    logger.warn(ids, "update dropped: its sender floods the bot");
    this.#open.delete(update.update_id);
    await this.#finish(update.update_id);
    onDropped(update);
  }

  /** Waits up to 5 s for running handlers. Interrupted updates run again without a counted try. */
  async drain(): Promise<void> {
    const { inbox, logger } = this.#parts;
    this.#draining.abort();
    await this.#inFlight.ended(DRAIN_MS);
    this.#isOver = true;
    const updates = this.#inFlight.size;
    if (updates > 0) logger.warn({ updates }, "stopped with updates in flight: they run again");
    if (this.#open.size === 0) return;
    await inbox
      .putBack([...this.#open])
      .catch((error: unknown) => logger.error({ err: error }, "attempts of interrupted updates not reset"));
  }

  /** Handles an update. One whose handler fails counts as handled. One that shutdown interrupts runs again. */
  async #handle(update: Update): Promise<void> {
    const { pass, logger, stopping } = this.#parts;
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
    const { inbox, clock, logger } = this.#parts;
    const onFailure = (err: unknown, attempt: number) =>
      logger.error({ update_id, attempt, err }, "update not finished");
    const options = { clock, backOff: BACK_OFF, maxTries: FINISH_TRIES, onFailure };
    await retry(options, () => inbox.finish(update_id)).catch((error: unknown) =>
      onFailure(error, FINISH_TRIES),
    );
  }
}
