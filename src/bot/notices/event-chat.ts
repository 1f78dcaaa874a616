import type { Api } from "grammy";
import type { CancelTimer, Clock } from "../../platform/clock.js";
import { integer } from "../../platform/integer.js";
import type { Logger } from "../../platform/logger.js";
import { backOffMs, repeat } from "../../platform/retry.js";
import { DAY_MS, HOUR_MS, SECOND_MS } from "../../platform/units.js";
import type { People } from "../people/people.js";
import { type TelegramFailure, telegramFailure } from "../telegram/failure.js";
import type { ChatPlace } from "../telegram/place.js";
import { inTopicOrGroup } from "../telegram/topic.js";
import { cutText } from "../texts/html.js";
import type { Language } from "../texts/texts.js";
import { type EventStore, NEWS_KINDS, type WaitingNotice } from "./event-store.js";
import { operatorNoticeText } from "./notice-text.js";
import { eventSummaryText } from "./summary-text.js";

export const EVENTS_LOOK_MS = 5 * SECOND_MS;
/** Messages to the chat in any hour. */
export const EVENTS_PER_HOUR = 20;
/** Messages of the hour that people and sales leave free, so that what asks for a look is told at once. */
const KEPT_FREE = 5;
/** Age at which news is dropped that could not be told. */
const STALE_MS = DAY_MS;
const LOST_RETRY_MS = HOUR_MS;
const BACK_OFF = { firstMs: 5 * SECOND_MS, maxMs: 10 * 60 * SECOND_MS };
const TEXT_LENGTH_MAX = 4000;

export interface EventChatParts {
  /** Makes single tries. */
  api: Pick<Api, "sendMessage">;
  place: ChatPlace;
  store: EventStore;
  people: Pick<People, "find">;
  language: () => Language;
  /** Called once when the bot cannot write to the chat any more. */
  onLost: () => void;
  clock: Clock;
  logger: Logger;
}

/**
 * Tells the event chat what is recorded, in order and at most `EVENTS_PER_HOUR` messages an hour: what would be more is
 * summed up. A restart repeats at most the message that was being sent, and no report.
 */
export class EventChat {
  readonly #parts: EventChatParts;
  #cancel: CancelTimer = () => {};
  #looking: Promise<void> | undefined;
  #isWoken = false;
  #isStopped = false;
  #notBefore = Number.NEGATIVE_INFINITY;
  #failures = 0;

  constructor(parts: EventChatParts) {
    this.#parts = parts;
  }

  start(): void {
    const { store, clock } = this.#parts;
    this.#looking = this.#recover();
    this.#cancel = repeat(clock, EVENTS_LOOK_MS, () => this.#wake());
    store.onRecorded(() => this.#wake());
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    await this.#looking;
  }

  /** Looks now, or again where a look is under way. */
  #wake(): void {
    this.#isWoken = true;
    this.#looking ??= this.#look();
  }

  /** Ends what an earlier run was sending: a report is told at most once, other news at least once. */
  async #recover(): Promise<void> {
    const { store } = this.#parts;
    await this.#guarded(async () => {
      const cut = store.waiting().filter(({ isSending }) => isSending);
      const reports = cut.filter(({ notice }) => notice.kind === "report");
      if (reports.length > 0) await store.remove(idsOf(reports));
      const others = cut.filter(({ notice }) => notice.kind !== "report");
      if (others.length > 0) await store.notSent(idsOf(others));
    });
  }

  async #look(): Promise<void> {
    this.#isWoken = false;
    await this.#guarded(async () => {
      while (!this.#isStopped && this.#parts.clock.monotonic() >= this.#notBefore) {
        if (!(await this.#sendNext())) return;
      }
    });
  }

  /** Never rejects. */
  async #guarded(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#parts.logger.warn({ err: error }, "event chat not told, trying again");
    } finally {
      this.#looking = undefined;
      if (this.#isWoken && !this.#isStopped) this.#wake();
    }
  }

  /** Returns false when nothing is to be sent now. */
  async #sendNext(): Promise<boolean> {
    const { store, clock } = this.#parts;
    const now = clock.now();
    const waiting = store.waiting();
    if (waiting.length === 0) return false;
    const stale = waiting.filter(({ at }) => now - at > STALE_MS);
    if (stale.length > 0) {
      await store.remove(idsOf(stale));
      return true;
    }
    const sent = await store.sentSince(integer(now - HOUR_MS), now);
    const next = nextNotices(waiting, EVENTS_PER_HOUR - sent.length);
    if (next.length === 0) return false;
    const text = this.#textOf(next);
    if (text === undefined) {
      await store.remove(idsOf(next));
      return true;
    }
    return this.#send(next, text, await store.sending(idsOf(next), now));
  }

  /** Returns undefined for what has no words here, such as a kind of another version. */
  #textOf(notices: readonly WaitingNotice[]): string | undefined {
    const { people } = this.#parts;
    const language = this.#parts.language();
    const told = notices.map(({ notice }) => notice);
    const [first] = told;
    try {
      if (!first || told.length > 1) return eventSummaryText(told, language, people);
      return cutText(operatorNoticeText(first, language, people), TEXT_LENGTH_MAX);
    } catch (error) {
      this.#parts.logger.error({ notices: told, err: error }, "events without words dropped");
      return undefined;
    }
  }

  async #send(notices: readonly WaitingNotice[], text: string, message: number): Promise<boolean> {
    const { api, place, store, clock, logger } = this.#parts;
    const chat = store.chat(place.chatId);
    try {
      const to = chat.moved_to ?? place.chatId;
      await inTopicOrGroup(place.threadId, (topic) =>
        api.sendMessage(to, text, { ...topic, link_preview_options: { is_disabled: true } }),
      );
    } catch (error) {
      await store.notSent(idsOf(notices), message);
      return this.#onFailure(telegramFailure(error), error);
    }
    this.#failures = 0;
    await store.remove(idsOf(notices));
    if (chat.lost_since !== null) {
      await store.keepChat({ ...chat, lost_since: null });
      logger.info({ chat_id: place.chatId }, "event chat is told again");
    }
    return clock.monotonic() >= this.#notBefore;
  }

  async #onFailure(failure: TelegramFailure, error: unknown): Promise<boolean> {
    const { place, store, clock, logger, onLost } = this.#parts;
    const chat = store.chat(place.chatId);
    const waitFor = (ms: number) => {
      this.#notBefore = clock.monotonic() + ms;
      return false;
    };
    if (failure.kind === "wait") return waitFor(failure.retryAfterMs);
    this.#failures += 1;
    if (failure.kind === "again") return waitFor(backOffMs(this.#failures, BACK_OFF));
    if (failure.kind === "moved" && chat.moved_to !== failure.chatId) {
      await store.keepChat({ ...chat, moved_to: failure.chatId });
      return true;
    }
    if (chat.lost_since === null) {
      logger.error({ chat_id: place.chatId, err: error }, "the bot cannot write to the event chat");
      await store.keepChat({ ...chat, lost_since: clock.now() });
      onLost();
    }
    return waitFor(LOST_RETRY_MS);
  }
}

function idsOf(notices: readonly WaitingNotice[]): number[] {
  return notices.map(({ id }) => id);
}

/** Chooses what the next message tells: one notice, several that are summed up, or none. @param free messages left of the hour */
export function nextNotices<T extends Pick<WaitingNotice, "notice">>(
  waiting: readonly T[],
  free: number,
): readonly T[] {
  const isNews = ({ notice: { kind } }: T) => NEWS_KINDS.includes(kind);
  const urgent = waiting.filter((one) => !isNews(one));
  const room = urgent.length > 0 ? free : free - KEPT_FREE;
  const next = urgent.length > 0 ? urgent : waiting;
  if (room <= 0) return [];
  return next.length <= room ? next.slice(0, 1) : next;
}
