import type { Api } from "grammy";
import type { Job } from "../../contract/job.js";
import { type CancelTimer, type Clock, sleep } from "../../platform/clock.js";
import type { Logger } from "../../platform/logger.js";
import { isNothingToEdit, pauseBeforeRetry, telegramFailure } from "../telegram/failure.js";
import type { Language } from "../texts.js";
import type { Order } from "./order.js";
import { statusText } from "./status-text.js";

/** After a refused or broken edit, in ms. */
const PAUSE_AFTER_FAULT_MS = 5000;
/** The shortest pause between two edits of one message, in ms. */
const QUICKEST_MS = 4000;
/** How long an edit gives way to a delivery in its chat before it looks again, in ms. */
const GIVE_WAY_MS = 500;
/** How often the last words are tried, and the pauses between: nothing comes after them. */
const LAST_WORDS_TRIES = 8;
const LAST_WORDS_BACK_OFF = { firstMs: 1000, maxMs: 60_000 };

interface Shown {
  order: Order;
  jobs: readonly Job[];
  /** When the first job began, in ms. */
  startedAt: number | undefined;
  lastText: string | undefined;
  nextEditAt: number;
  cancel: CancelTimer;
  /** The edit that is under way, if any. */
  editing: Promise<void>;
  isEditing: boolean;
  /** True when its jobs have ended. */
  isResting: boolean;
}

interface StatusBoardParts {
  /** Without retries: an edit that fails is simply made again later, with newer words. */
  api: Api;
  clock: Clock;
  logger: Logger;
  languageOf: (userId: number) => Language;
  isDelivering: (chatId: number) => boolean;
}

/** Keeps the status messages of running orders up to date, seldom enough never to be in anybody's way. */
export class StatusBoard {
  readonly #parts: StatusBoardParts;
  readonly #shown = new Map<string, Shown>();
  readonly #stopping = new AbortController();

  constructor(parts: StatusBoardParts) {
    this.#parts = parts;
  }

  /** Takes note of an order's jobs; the message follows when its pace allows. */
  show(order: Order, jobs: readonly Job[]): void {
    if (order.statusMessageId === null || this.#stopping.signal.aborted) return;
    const known = this.#shown.get(order.id);
    const entry = known ?? newEntry(order, jobs);
    const isRunning = jobs.some(({ status }) => status !== "queued");
    const startedAt = entry.startedAt ?? (isRunning ? this.#parts.clock.now() : undefined);
    const shown = Object.assign(entry, { jobs, startedAt });
    this.#shown.set(order.id, shown);
    this.#schedule(shown);
  }

  /** Says no more of an order's jobs, which have ended: what follows are the last words. */
  rest(orderId: string): void {
    const shown = this.#shown.get(orderId);
    if (!shown) return;
    shown.isResting = true;
    shown.cancel();
  }

  /**
   * Writes the last words of an order's status message, after any edit that is still under way.
   * A failure is only logged: what matters has been delivered. False when the stop has cut it off.
   */
  async finish(order: Order, text: string): Promise<boolean> {
    const shown = this.#shown.get(order.id);
    this.#forget(order.id);
    if (order.statusMessageId === null) return true;
    await shown?.editing;
    for (let attempt = 1; ; attempt += 1) {
      const waitMs = await this.#writeLast(order, order.statusMessageId, text, attempt);
      if (waitMs === undefined || attempt === LAST_WORDS_TRIES) return true;
      await sleep(this.#parts.clock, waitMs, this.#stopping.signal);
      if (this.#stopping.signal.aborted) return false;
    }
  }

  /** How long to wait before another try, in ms; undefined when none is needed, or of use. */
  async #writeLast(
    order: Order,
    messageId: number,
    text: string,
    attempt: number,
  ): Promise<number | undefined> {
    const { api, logger } = this.#parts;
    try {
      await api.editMessageText(order.chatId, messageId, text, { parse_mode: "HTML" });
      return undefined;
    } catch (error) {
      if (isNothingToEdit(error)) return undefined;
      const failure = telegramFailure(error);
      logger.debug({ order_id: order.id, failure, attempt }, "last status not shown");
      return pauseBeforeRetry(failure, attempt, LAST_WORDS_BACK_OFF);
    }
  }

  #forget(orderId: string): void {
    this.#shown.get(orderId)?.cancel();
    this.#shown.delete(orderId);
  }

  stop(): void {
    this.#stopping.abort();
    for (const id of [...this.#shown.keys()]) this.#forget(id);
  }

  /**
   * Times the next edit; news that comes meanwhile only changes what it will say. While an edit is under way
   * none is timed, so that a slow one cannot land after a newer one: its end times the next.
   */
  #schedule(shown: Shown): void {
    const { clock } = this.#parts;
    shown.cancel();
    if (shown.isEditing || shown.isResting) return;
    shown.cancel = clock.after(Math.max(0, shown.nextEditAt - clock.now()), () => {
      shown.isEditing = true;
      shown.editing = this.#edit(shown).finally(() => {
        shown.isEditing = false;
        if (this.#shown.has(shown.order.id)) this.#schedule(shown);
      });
    });
  }

  async #edit(shown: Shown): Promise<void> {
    const { clock, isDelivering } = this.#parts;
    const { order } = shown;
    if (isDelivering(order.chatId)) {
      shown.nextEditAt = clock.now() + GIVE_WAY_MS;
    } else {
      const runningMs = shown.startedAt === undefined ? 0 : clock.now() - shown.startedAt;
      shown.nextEditAt = clock.now() + Math.max(intervalMs(runningMs), this.#leastPauseMs(order.chatId));
      if ((await this.#write(shown, runningMs)) === "gone") this.#forget(order.id);
    }
  }

  /** The orders of a group share what Telegram allows there: 20 messages a minute. */
  #leastPauseMs(chatId: number): number {
    if (chatId > 0) return 0;
    let orders = 0;
    for (const { order } of this.#shown.values()) if (order.chatId === chatId) orders += 1;
    return orders * QUICKEST_MS;
  }

  async #write(shown: Shown, runningMs: number): Promise<"written" | "later" | "gone"> {
    const { api, clock, logger, languageOf } = this.#parts;
    const { order } = shown;
    const text = statusText(order, shown.jobs, runningMs, languageOf(order.userId));
    if (text === shown.lastText || order.statusMessageId === null) return "written";
    try {
      await api.editMessageText(order.chatId, order.statusMessageId, text, { parse_mode: "HTML" });
      shown.lastText = text;
      return "written";
    } catch (error) {
      if (isNothingToEdit(error)) return "gone";
      const failure = telegramFailure(error);
      logger.debug({ order_id: order.id, failure }, "status not shown");
      if (failure.kind !== "wait" && failure.kind !== "again") return "gone";
      shown.nextEditAt =
        clock.now() + (failure.kind === "wait" ? failure.retryAfterMs : PAUSE_AFTER_FAULT_MS);
      return "later";
    }
  }
}

function newEntry(order: Order, jobs: readonly Job[]): Shown {
  return {
    order,
    jobs,
    startedAt: undefined,
    lastText: undefined,
    nextEditAt: 0,
    cancel: () => {},
    editing: Promise.resolve(),
    isEditing: false,
    isResting: false,
  };
}

/** The longer a job runs, the seldomer its message changes. */
function intervalMs(runningMs: number): number {
  if (runningMs < 60_000) return QUICKEST_MS;
  return runningMs < 300_000 ? 15_000 : 60_000;
}
