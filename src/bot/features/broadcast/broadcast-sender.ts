import type { Api } from "grammy";
import { type Clock, leftMs, sleep } from "../../../platform/clock.js";
import type { Logger } from "../../../platform/logger.js";
import { HOUR_MS } from "../../../platform/units.js";
import { editOrIgnore } from "../../telegram/edit-or-ignore.js";
import { telegramFailure } from "../../telegram/failure.js";
import type { Language } from "../../texts/texts.js";
import { progressScreen } from "./broadcast-screen.js";
import type { Broadcast, Broadcasts, SendOutcomeKind } from "./broadcast-store.js";
import { newsKeyboard } from "./news.js";
import type { Recipients } from "./recipients.js";

/** Milliseconds between messages: at most 20 a second, of the 30 that Telegram takes from a bot. */
const PACE_MS = 50;
const LOOK_INTERVAL_MS = 2000;
/** Milliseconds after a message that the network lost. */
const LOST_PAUSE_MS = 1000;
const PROGRESS_EVERY_MS = 5000;
/** The longest pause that Telegram is believed. */
const PAUSE_MAX_MS = 24 * HOUR_MS;
/** Milliseconds for which a message waits for deliveries, so that a busy bot sends broadcasts too. */
const YIELD_MS = 1000;

export interface BroadcastSenderParts {
  /** Does not retry: a message that may have arrived is not sent again. */
  api: Pick<Api, "copyMessage" | "editMessageText">;
  broadcasts: Broadcasts;
  recipients: Recipients;
  /** True while files of orders are being sent, which go first. */
  isDelivering: () => boolean;
  languageOf: (userId: number) => Language;
  clock: Clock;
  logger: Logger;
}

/** Sends running broadcasts, one person after another. Goes on after a restart with the next person. */
export class BroadcastSender {
  readonly #parts: BroadcastSenderParts;
  readonly #stopping = new AbortController();
  #working: Promise<void> | undefined;

  constructor(parts: BroadcastSenderParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#working = this.#work();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#working;
  }

  /** Never rejects. */
  async #work(): Promise<void> {
    const { clock, logger, broadcasts } = this.#parts;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        const running = broadcasts.running();
        if (running) await this.#send(running.id);
      } catch (error) {
        logger.error({ err: error }, "broadcast interrupted, trying again");
      }
      await sleep(clock, LOOK_INTERVAL_MS, signal);
    }
  }

  /** Sends until the broadcast is done, stopped, or put off. */
  async #send(id: number): Promise<void> {
    const { broadcasts, recipients, clock, logger } = this.#parts;
    const { signal } = this.#stopping;
    let shownAt = clock.monotonic();
    while (!signal.aborted) {
      const broadcast = broadcasts.find(id);
      if (broadcast?.state !== "running") return;
      if (leftMs(broadcast.waits_until, clock.now(), PAUSE_MAX_MS) > 0) return;
      const range = { afterId: broadcast.last_user_id, startedAt: broadcast.started_at ?? 0 };
      const userId = await recipients.next(broadcast.audience, range);
      if (userId === undefined) {
        await broadcasts.end(id);
        await this.#show(id);
        const { sent, blocked, failed } = broadcasts.find(id) ?? broadcast;
        return logger.info({ broadcast: id, sent, blocked, failed }, "broadcast done");
      }
      await this.#yield();
      await Promise.all([this.#sendTo(broadcast, userId), sleep(clock, PACE_MS, signal)]);
      if (clock.monotonic() - shownAt < PROGRESS_EVERY_MS) continue;
      shownAt = clock.monotonic();
      await this.#show(id);
    }
  }

  async #sendTo(broadcast: Broadcast, userId: number): Promise<void> {
    const { api, broadcasts, languageOf, clock, logger } = this.#parts;
    const { id, admin_id, message_id } = broadcast;
    if (!(await broadcasts.claim(id, userId))) return;
    try {
      const keyboard = newsKeyboard(broadcast.audience, languageOf(userId));
      await api.copyMessage(userId, admin_id, message_id, keyboard && { reply_markup: keyboard });
      await broadcasts.settle(id, userId, "sent");
    } catch (error) {
      const failure = telegramFailure(error);
      if (failure.kind === "wait") {
        const pauseMs = Math.min(failure.retryAfterMs, PAUSE_MAX_MS);
        logger.warn({ broadcast: id, pause_ms: pauseMs }, "broadcast waits, as Telegram asks");
        return broadcasts.putOff(id, userId, pauseMs);
      }
      const isGone = failure.kind === "blocked" || failure.kind === "no_chat";
      const outcome: SendOutcomeKind = isGone ? "blocked" : "failed";
      if (!isGone) logger.warn({ broadcast: id, user_id: userId, err: error }, "broadcast not sent");
      await broadcasts.settle(id, userId, outcome);
      // A network that is down must not use up the recipients.
      if (failure.kind === "again") await sleep(clock, LOST_PAUSE_MS, this.#stopping.signal);
    }
  }

  async #yield(): Promise<void> {
    const { isDelivering, clock } = this.#parts;
    const until = clock.monotonic() + YIELD_MS;
    while (isDelivering() && clock.monotonic() < until && !this.#stopping.signal.aborted)
      await sleep(clock, PACE_MS, this.#stopping.signal);
  }

  async #show(id: number): Promise<void> {
    const { api, broadcasts, languageOf, logger } = this.#parts;
    const broadcast = broadcasts.find(id);
    if (!broadcast?.screen_id) return;
    const { text, keyboard } = progressScreen(broadcast, languageOf(broadcast.admin_id));
    const edit = api.editMessageText(broadcast.admin_id, broadcast.screen_id, text, {
      reply_markup: keyboard,
    });
    await editOrIgnore(edit).catch((error: unknown) =>
      logger.info({ broadcast: id, err: error }, "progress of a broadcast not shown"),
    );
  }
}
