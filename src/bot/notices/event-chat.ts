import { sumOf } from "../../contract/price.js";
import { backOffMs, Recurring } from "../../platform/retry.js";
import { DAY_MS, HOUR_MS, SECOND_MS } from "../../platform/units.js";
import type { BotGround } from "../bot-ground.js";
import type { People } from "../people/people.js";
import { type TelegramFailure, telegramFailure } from "../telegram/failure.js";
import { type ChatPlace, inTopicOrGroup } from "../telegram/place.js";
import { cutText } from "../texts/html.js";
import type { Language } from "../texts/texts.js";
import { NEWS_KINDS, type WaitingNotice } from "./event-store.js";
import { type EventNotice, operatorNoticeText } from "./notice-text.js";

const TEXT_LENGTH_MAX = 4000;
const LINE_LENGTH_MAX = 300;
/** Notices of one kind that are written out. The rest is a number. */
const WRITTEN_OF_KIND = 5;

/** Sums up notices as one plain text: people and sales by their number, of other kinds the latest ones. */
function eventSummaryText(
  notices: readonly EventNotice[],
  language: Language,
  people: Pick<People, "find">,
): string {
  const { t } = language;
  const byKind = Map.groupBy(notices, ({ kind }) => kind);
  const lines = [...byKind].flatMap(([kind, of]) => {
    const count = of.length;
    if (kind === "new_person") return [t("summary-new_person", { count })];
    if (kind === "sale") {
      const sum = sumOf(of.flatMap((one) => (one.kind === "sale" ? [one.kopecks] : [])));
      return [t("summary-sale", { count, sum: language.money(sum) })];
    }
    const written = of
      .slice(-WRITTEN_OF_KIND)
      .map((notice) => cutText(operatorNoticeText(notice, language, people), LINE_LENGTH_MAX));
    const more = count - written.length;
    return more > 0 ? [...written, t("summary-more", { count: more })] : written;
  });
  return cutText([t("summary-title", { count: notices.length }), ...lines].join("\n"), TEXT_LENGTH_MAX);
}

export const EVENTS_LOOK_MS = 5 * SECOND_MS;
/** Messages to the chat in any hour. */
export const EVENTS_PER_HOUR = 20;
/** Messages of the hour that people and sales leave free, so that what asks for a look is told at once. */
const KEPT_FREE = 5;
/** Age at which news is dropped that could not be told. */
const STALE_MS = DAY_MS;
const LOST_RETRY_MS = HOUR_MS;
const BACK_OFF = { firstMs: 5 * SECOND_MS, maxMs: 10 * 60 * SECOND_MS };

/**
 * Tells the event chat what is recorded, in order and at most `EVENTS_PER_HOUR` messages an hour: what would be more is
 * summed up. A restart repeats at most the message that was being sent, and no report.
 */
export class EventChat {
  readonly looks: Recurring;
  #isRecovered = false;
  #notBefore = Number.NEGATIVE_INFINITY;
  #failures = 0;

  /** @param onLost called once when the bot cannot write to the chat any more */
  constructor(
    private readonly bot: BotGround,
    private readonly place: ChatPlace,
    private readonly onLost: () => void,
  ) {
    const { database, events, clock, logger } = bot;
    this.looks = new Recurring({
      clock,
      everyMs: EVENTS_LOOK_MS,
      wokenBy: (wake) => database.watch(["event_notice"], wake),
      work: (signal) => this.#look(signal),
      isIdle: () => events.waiting().length === 0,
      onFailure: (error) => logger.warn({ err: error }, "event chat not told, trying again"),
    });
  }

  async #look(signal: AbortSignal): Promise<void> {
    if (!this.#isRecovered) {
      // What an earlier run was sending: a report is told at most once, other news at least once.
      const { events } = this.bot;
      const cut = events.waiting().filter(({ is_sending, notice }) => is_sending && notice.kind === "report");
      await events.remove(idsOf(cut));
    }
    this.#isRecovered = true;
    while (!signal.aborted && this.bot.clock.monotonic() >= this.#notBefore) {
      if (!(await this.#sendNext())) return;
    }
  }

  /** Returns false when nothing is to be sent now. */
  async #sendNext(): Promise<boolean> {
    const { events, clock } = this.bot;
    const now = clock.now();
    const waiting = events.waiting();
    if (waiting.length === 0) return false;
    const stale = waiting.filter(({ at }) => now - at > STALE_MS);
    if (stale.length > 0) {
      await events.remove(idsOf(stale));
      return true;
    }
    const next = nextNotices(waiting, EVENTS_PER_HOUR - events.sentInHour(now));
    if (next.length === 0) return false;
    const text = this.#textOf(next);
    if (text === undefined) {
      await events.remove(idsOf(next));
      return true;
    }
    return this.#send(next, text, await events.sending(idsOf(next), now));
  }

  /** Returns undefined for what has no words here, such as a kind of another version. */
  #textOf(notices: readonly WaitingNotice[]): string | undefined {
    const { people, logger } = this.bot;
    const language = this.bot.operatorLanguage;
    const told = notices.map(({ notice }) => notice);
    const [first] = told;
    try {
      if (!first || told.length > 1) return eventSummaryText(told, language, people);
      return cutText(operatorNoticeText(first, language, people), TEXT_LENGTH_MAX);
    } catch (error) {
      logger.error({ notices: told, err: error }, "events without words dropped");
      return undefined;
    }
  }

  async #send(notices: readonly WaitingNotice[], text: string, message: number): Promise<boolean> {
    const { plainApi, events, clock, logger } = this.bot;
    const { chatId, threadId } = this.place;
    const chat = events.chat(chatId);
    try {
      const to = chat.moved_to ?? chatId;
      await inTopicOrGroup(threadId, (topic) =>
        plainApi.sendMessage(to, text, { ...topic, link_preview_options: { is_disabled: true } }),
      );
    } catch (error) {
      await events.notSent(idsOf(notices), message);
      return this.#onFailure(telegramFailure(error), error);
    }
    this.#failures = 0;
    await events.remove(idsOf(notices));
    if (chat.lost_since !== null) {
      await events.keepChat({ ...chat, lost_since: null });
      logger.info({ chat_id: chatId }, "event chat is told again");
    }
    return clock.monotonic() >= this.#notBefore;
  }

  async #onFailure(failure: TelegramFailure, error: unknown): Promise<boolean> {
    const { events, clock, logger } = this.bot;
    const { chatId } = this.place;
    const chat = events.chat(chatId);
    const waitFor = (ms: number) => {
      this.#notBefore = clock.monotonic() + ms;
      return false;
    };
    if (failure.kind === "wait") return waitFor(failure.retryAfterMs);
    this.#failures += 1;
    if (failure.kind === "again") return waitFor(backOffMs(this.#failures, BACK_OFF));
    if (failure.kind === "moved" && chat.moved_to !== failure.chatId) {
      await events.keepChat({ ...chat, moved_to: failure.chatId });
      return true;
    }
    if (chat.lost_since === null) {
      logger.error({ chat_id: chatId, err: error }, "the bot cannot write to the event chat");
      await events.keepChat({ ...chat, lost_since: clock.now() });
      this.onLost();
    }
    return waitFor(LOST_RETRY_MS);
  }
}

function idsOf(notices: readonly WaitingNotice[]): number[] {
  return notices.map(({ id }) => id);
}

/** Chooses what the next message tells: one notice, several that are summed up, or none. @param free messages left of the hour */
function nextNotices(waiting: readonly WaitingNotice[], free: number): readonly WaitingNotice[] {
  const isNews = ({ notice: { kind } }: WaitingNotice) => NEWS_KINDS.includes(kind);
  const urgent = waiting.filter((one) => !isNews(one));
  const room = urgent.length > 0 ? free : free - KEPT_FREE;
  const next = urgent.length > 0 ? urgent : waiting;
  if (room <= 0) return [];
  return next.length <= room ? next.slice(0, 1) : next;
}
