import { Ages } from "../../platform/ages.js";
import { type CancelTimer, sleep } from "../../platform/clock.js";
import { type BackOff, retry } from "../../platform/retry.js";
import type { GatewayJob } from "../../ports/gateway.js";
import type { BotGround } from "../bot-ground.js";
import { isNothingToEdit, pauseBeforeRetry, telegramFailure } from "../telegram/failure.js";
import { inTopicOrGroup, isInGroup } from "../telegram/place.js";
import { escapeHtml } from "../texts/html.js";
import type { Language } from "../texts/texts.js";
import type { Order } from "./order.js";
import { type Reached, STAGES, type Stage } from "./order-store.js";

const LONG_WAIT_MS = 60_000;

/** Composes the status as HTML. `elapsedMs`: since the order was placed. */
export function statusText(
  order: Order,
  jobs: readonly GatewayJob[],
  { stage, elapsedMs }: { stage: Stage; elapsedMs: number },
  language: Language,
): string {
  const { t } = language;
  const title = statusTitle(order, language);
  const time = elapsed(elapsedMs);
  const away = jobs.some(({ waiting }) => waiting?.isAway) ? [t("status-queued-away")] : [];
  // One that its service turns away is not being made, also where it had been told so.
  const isAllAway = jobs.length > 0 && jobs.every(({ waiting }) => waiting?.isAway);
  if (stage === "made" && !isAllAway) {
    const lines = [title, t("status-generating", { type: order.request.type, elapsed: time })];
    const ready = jobs.filter(({ status }) => status === "done").length;
    if (jobs.length > 1) lines.push(t("status-ready", { ready, count: jobs.length }));
    return [...lines, ...away].join("\n");
  }
  if (away.length > 0) return [title, ...away].join("\n");
  const long = elapsedMs < LONG_WAIT_MS ? [] : [t("status-long")];
  const position = placeOf(jobs);
  if (position !== undefined)
    return [title, t("status-queued-place", { position, elapsed: time })].join("\n");
  return [title, t(`status-${stage}`, { elapsed: time }), ...long].join("\n");
}

export function stageOf(jobs: readonly GatewayJob[]): Stage {
  if (!jobs.every(({ status, waiting }) => status === "queued" || waiting)) return "made";
  return placeOf(jobs) === undefined ? "sent" : "queued";
}

function placeOf(jobs: readonly GatewayJob[]): number | undefined {
  const first = Math.min(...jobs.flatMap(({ waiting }) => waiting?.position ?? []));
  return first > 0 && Number.isFinite(first) ? first : undefined;
}

function statusTitle(order: Order, { money }: Language): string {
  const owner = isInGroup(order) ? [escapeHtml(order.userName)] : [];
  return [`<b>${escapeHtml(order.modelTitle)}</b>`, money(order.quotedKopecks), ...owner].join(" · ");
}

/** Formats a duration: `0:07`, `12:40`, `1:02:40`. */
function elapsed(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const parts = [...(hours > 0 ? [hours] : []), minutes, seconds % 60];
  return parts.map((part, at) => (at === 0 ? `${part}` : `${part}`.padStart(2, "0"))).join(":");
}

const PAUSE_AFTER_FAULT_MS = 5000;
/** The shortest pause between two edits of one message, in ms. */
const INTERVAL_MS_MIN = 4000;
/** The pause before an edit checks again for an upload in its chat, in ms. */
const UPLOAD_PAUSE_MS = 500;
/** The number of tries of the final status, which no later edit follows. */
const FINAL_ATTEMPTS = 8;
const FINAL_BACK_OFF = { firstMs: 1000, maxMs: 60_000 };

interface Shown {
  order: Order;
  jobs: readonly GatewayJob[];
  /** The furthest stage so far. Undefined before the first one that is kept. */
  reached: Reached | undefined;
  lastText: string | undefined;
  /** The time of the last edit, by the monotonic clock like `nextEditAt`. */
  writtenAt: number;
  nextEditAt: number;
  cancel: CancelTimer;
  editing: Promise<void> | undefined;
  /** True when all jobs have ended and only the final status follows. */
  isPaused: boolean;
}

/** Keeps the status messages of running orders up to date, within the rate limits of their chats. */
export class StatusMessages {
  readonly #shown = new Map<string, Shown>();
  readonly #ages: Ages;
  readonly #stopping = new AbortController();

  /** @param uploadingTo the chats to which a delivery is being sent */
  constructor(
    private readonly bot: BotGround,
    private readonly uploadingTo: ReadonlySet<number>,
  ) {
    this.#ages = new Ages(bot.clock);
  }

  /** Sends the status message of an order that has none. It stays without one when that fails. */
  async begin(order: Order): Promise<Order> {
    const { plainApi, orders, logger, languageOf } = this.bot;
    const text = statusText(order, [], { stage: "sent", elapsedMs: 0 }, languageOf(order.userId));
    try {
      const { message_id: statusMessageId } = await inTopicOrGroup(order.threadId, (place) =>
        plainApi.sendMessage(order.chatId, text, { ...place, parse_mode: "HTML" }),
      );
      await orders.setStatusMessage(order.id, statusMessageId);
      return { ...order, statusMessageId };
    } catch (error) {
      logger.warn({ order_id: order.id, err: error }, "status not begun");
      return order;
    }
  }

  /** Updates the state of an order's jobs. The message is edited when its interval allows. */
  update(order: Order, jobs: readonly GatewayJob[]): void {
    if (order.statusMessageId === null || this.#stopping.signal.aborted) return;
    const shown = this.#shown.get(order.id) ?? {
      order,
      jobs,
      reached: this.bot.orders.progressOf(order.id),
      lastText: undefined,
      writtenAt: 0,
      nextEditAt: 0,
      cancel: () => {},
      editing: undefined,
      isPaused: false,
    };
    shown.jobs = jobs;
    const { clock, orders, logger } = this.bot;
    const stage = stageOf(jobs);
    // One that was reached before stays, also after a restart.
    if (STAGES.indexOf(stage) > STAGES.indexOf(shown.reached?.stage ?? "sent") && stage !== "sent") {
      shown.reached = { stage, since: clock.now() };
      orders
        .keepProgress(order.id, shown.reached)
        .catch((error: unknown) => logger.warn({ order_id: order.id, err: error }, "progress not kept"));
    }
    this.#ageOf(shown);
    this.#shown.set(order.id, shown);
    this.#schedule(shown);
  }

  pause(orderId: string): void {
    const shown = this.#shown.get(orderId);
    if (!shown) return;
    shown.isPaused = true;
    shown.cancel();
  }

  /**
   * Writes the final status after any edit in flight. Resolves to false when `stop` interrupts it.
   * @param isSaidBelow true when a message below says so already: then the status is deleted where it can be
   */
  async finish(order: Order, text: string, isSaidBelow = false): Promise<boolean> {
    const { plainApi, clock, logger } = this.bot;
    const { chatId, statusMessageId } = order;
    const { signal } = this.#stopping;
    const shown = this.#shown.get(order.id);
    this.#forget(order.id);
    if (statusMessageId === null) return true;
    await shown?.editing;
    for (let attempt = 1; ; attempt += 1) {
      try {
        if (!isSaidBelow || !(await this.#isDeleted(order, statusMessageId)))
          await plainApi.editMessageText(chatId, statusMessageId, text, { parse_mode: "HTML" });
        return true;
      } catch (error) {
        if (isNothingToEdit(error)) return true;
        const failure = telegramFailure(error);
        logger.debug({ order_id: order.id, failure, attempt }, "final status not shown");
        const pauseMs = pauseBeforeRetry(failure, attempt, FINAL_BACK_OFF);
        if (pauseMs === undefined || attempt === FINAL_ATTEMPTS) return true;
        await sleep(clock, pauseMs, signal);
        if (signal.aborted) return false;
      }
    }
  }

  /** Deletes a message. Resolves to false where it cannot: Telegram keeps messages of more than two days. */
  async #isDeleted({ chatId }: Order, messageId: number): Promise<boolean> {
    try {
      await this.bot.plainApi.deleteMessage(chatId, messageId);
      return true;
    } catch (error) {
      if (telegramFailure(error).kind !== "refused") throw error;
      return false;
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

  /** Schedules the next edit. It waits for the one in flight: a slow edit must not arrive after a newer one. */
  #schedule(shown: Shown): void {
    const { clock } = this.bot;
    shown.cancel();
    if (shown.editing || shown.isPaused) return;
    shown.cancel = clock.after(Math.max(0, shown.nextEditAt - clock.monotonic()), () => {
      shown.editing = this.#edit(shown).finally(() => {
        shown.editing = undefined;
        if (this.#shown.has(shown.order.id)) this.#schedule(shown);
      });
    });
  }

  async #edit(shown: Shown): Promise<void> {
    const { clock } = this.bot;
    const { order } = shown;
    if (this.uploadingTo.has(order.chatId)) {
      shown.nextEditAt = clock.monotonic() + UPLOAD_PAUSE_MS;
    } else {
      const now = clock.monotonic();
      const elapsedMs = this.#ageOf(shown);
      // What has begun to be made after a long wait is shown as often as anything that is new.
      const isMade = shown.reached?.stage === "made";
      const paceMs = intervalMs(isMade ? this.#ageOf(shown, shown.reached?.since) : 0);
      shown.nextEditAt = now + Math.max(paceMs, this.#leastPauseMs(order.chatId));
      // A queue is shown less often the longer it takes.
      const isWritten = !isMade && shown.lastText !== undefined;
      if (isWritten && now < shown.writtenAt + intervalMs(elapsedMs)) return;
      if (!(await this.#write(shown))) this.#forget(order.id);
    }
  }

  #ageOf({ order }: Shown, since = order.createdAt): number {
    return this.#ages.of(`${order.id}:${since}`, since);
  }

  /** Returns the least pause: Telegram allows 20 messages a minute per group, shared by its orders. */
  #leastPauseMs(chatId: number): number {
    if (chatId > 0) return 0;
    let orders = 0;
    for (const { order } of this.#shown.values()) if (order.chatId === chatId) orders += 1;
    return orders * INTERVAL_MS_MIN;
  }

  /** Resolves to false when the message can no longer be edited. */
  async #write(shown: Shown): Promise<boolean> {
    const { plainApi, clock, logger, languageOf } = this.bot;
    const { order, jobs, reached } = shown;
    const stage = reached?.stage ?? "sent";
    const text = statusText(order, jobs, { stage, elapsedMs: this.#ageOf(shown) }, languageOf(order.userId));
    if (text === shown.lastText || order.statusMessageId === null) return true;
    try {
      await plainApi.editMessageText(order.chatId, order.statusMessageId, text, { parse_mode: "HTML" });
      shown.lastText = text;
      shown.writtenAt = clock.monotonic();
      return true;
    } catch (error) {
      if (isNothingToEdit(error)) return false;
      const failure = telegramFailure(error);
      logger.debug({ order_id: order.id, failure }, "status not shown");
      if (failure.kind !== "wait" && failure.kind !== "again") return false;
      shown.nextEditAt =
        clock.monotonic() + (failure.kind === "wait" ? failure.retryAfterMs : PAUSE_AFTER_FAULT_MS);
      return true;
    }
  }

  /** Shows what an earlier run did not show. A final status is stored as a row until it was shown. */
  start(): void {
    for (const { order_id, is_done } of this.bot.orders.pendingFinalStatuses())
      void this.showFinal(order_id, is_done === 1);
  }

  /** Retries faults of the database. A status that `stop` interrupts is shown at the next start. */
  async showFinal(orderId: string, isDone: boolean): Promise<void> {
    const { orders, clock, logger } = this.bot;
    const onFailure = (error: unknown, attempt: number) =>
      logger.warn({ order_id: orderId, err: error, attempt }, "final status not shown, trying again");
    const options = { clock, backOff: DATABASE_BACK_OFF, onFailure, signal: this.#stopping.signal };
    try {
      const isOver = await retry(options, () => this.#finish(orderId, isDone));
      if (isOver) await retry(options, () => orders.finalStatusShown(orderId));
    } catch (error) {
      logger.warn({ order_id: orderId, err: error }, "final status left for the next start");
    }
  }

  async #finish(orderId: string, isDone: boolean): Promise<boolean> {
    const { orders, languageOf } = this.bot;
    const order = orders.find(orderId);
    if (!order) return true;
    const language = languageOf(order.userId);
    // The person may want to ask about what has failed.
    const number = isDone ? "" : ` · ${language.t("order-number", { number: String(order.number) })}`;
    const title = statusTitle(order, language) + number;
    const text = `${title}\n${language.t(isDone ? "status-done" : "status-failed")}`;
    // The results, or of several a message below, say so, unless they had to go to another chat.
    const isSaidBelow = isDone && orders.findDelivery(orderId)?.chat_id === order.chatId;
    return this.finish(order, text, isSaidBelow);
  }
}

/** Returns the interval of edits. `ageMs`: since the order waits, or since it is being made. */
function intervalMs(ageMs: number): number {
  if (ageMs < 60_000) return INTERVAL_MS_MIN;
  return ageMs < 300_000 ? 15_000 : 60_000;
}

const DATABASE_BACK_OFF: BackOff = { firstMs: 1000, maxMs: 60_000 };
