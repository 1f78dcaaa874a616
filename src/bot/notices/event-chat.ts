import type { Api } from "grammy";
import { type Generated, type Selectable, sql } from "kysely";
import type { Database, Transaction } from "../../database/database.js";
import { prepare, qb } from "../../database/prepared.js";
import { table } from "../../database/table.js";
import type { Clock } from "../../platform/clock.js";
import { type Integer, integer } from "../../platform/integer.js";
import type { Logger } from "../../platform/logger.js";
import { backOffMs, Recurring } from "../../platform/retry.js";
import { DAY_MS, HOUR_MS, SECOND_MS } from "../../platform/units.js";
import type { People } from "../people/people.js";
import { type TelegramFailure, telegramFailure } from "../telegram/failure.js";
import { type ChatPlace, inTopicOrGroup } from "../telegram/place.js";
import { cutText } from "../texts/html.js";
import type { Language } from "../texts/texts.js";
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
    if (kind === "sale") return [t("summary-sale", { count, sum: language.money(salesOf(of)) })];
    const written = of
      .slice(-WRITTEN_OF_KIND)
      .map((notice) => cutText(operatorNoticeText(notice, language, people), LINE_LENGTH_MAX));
    const more = count - written.length;
    return more > 0 ? [...written, t("summary-more", { count: more })] : written;
  });
  return cutText([t("summary-title", { count: notices.length }), ...lines].join("\n"), TEXT_LENGTH_MAX);
}

function salesOf(notices: readonly EventNotice[]): number {
  return notices.reduce((sum, notice) => sum + (notice.kind === "sale" ? notice.kopecks : 0), 0);
}

/** What the event chat has not been told yet. Times in ms since the epoch. */
interface EventNoticeTable {
  id: Generated<number>;
  at: Integer;
  /** JSON of `EventNotice`. */
  notice: string;
  /** 1 from before it is sent until it is known to have arrived. */
  is_sending: Generated<0 | 1>;
}
type EventNoticeRow = Selectable<EventNoticeTable>;

/** Messages to the event chat of the last hour. */
interface EventMessageTable {
  id: Generated<number>;
  sent_at: Integer;
}

/** What is known of the event chat beyond its setting. */
interface EventChatRow {
  chat_id: number;
  /** The id that it has since it became a supergroup. */
  moved_to: number | null;
  /** Time at which the bot was found unable to write there; null while it can. */
  lost_since: Integer | null;
}

/** Days whose report was made: each has one at most. */
interface DailyReportTable {
  day: string;
  made_at: Integer;
}

declare module "../../database/prepared.js" {
  interface Schema {
    event_notice: EventNoticeTable;
    event_message: EventMessageTable;
    event_chat: EventChatRow;
    daily_report: DailyReportTable;
  }
}

/** Bounds what one look reads. More is summed up by the next looks. */
const WAITING_READ = 1000;
/** Kinds that people make many of, and that ask for nothing. */
const NEWS_KINDS: readonly EventNotice["kind"][] = ["new_person", "sale"];

type WaitingNotice = Omit<EventNoticeRow, "notice"> & { notice: EventNotice };

const eventNotices = table("event_notice");
const messages = table("event_message");
const chats = table("event_chat");
const reports = table("daily_report");

/** Reads all of the table: only where the oldest notices are a flood of news. */
const selectUrgent = prepare<{ afterId: number }, EventNoticeRow>((p) =>
  qb
    .selectFrom("event_notice")
    .selectAll()
    .where("id", ">", p.afterId)
    .where(
      sql<string>`notice ->> '$.kind'`,
      "not in",
      NEWS_KINDS.map((kind) => sql.lit(kind)),
    )
    .orderBy("id")
    .limit(sql.lit(WAITING_READ)),
);
const deleteMessages = prepare<{ before: Integer; after: Integer }>((p) =>
  qb
    .deleteFrom("event_message")
    .where((eb) => eb.or([eb("sent_at", "<=", p.before), eb("sent_at", ">", p.after)])),
);
/** Keeps what the event chat is to be told until it was told. */
export class EventStore {
  constructor(private readonly database: Database) {}

  /** Calls `wake` when notices were recorded. Returns what ends that. */
  onRecorded(wake: () => void): () => void {
    return this.database.watch(["event_notice"], wake);
  }

  /** Records a notice in the transaction of what it tells. */
  record(tx: Transaction, notice: EventNotice, at: Integer): void {
    eventNotices.insert(tx, { at, notice: JSON.stringify(notice) });
  }

  /** Returns the oldest notices first, with what asks for a look behind any number of news. */
  waiting(): WaitingNotice[] {
    const oldest = eventNotices.all(this.database, {}, { orderBy: ["id"], limit: WAITING_READ });
    const last = oldest.at(-1);
    const isCut = last !== undefined && oldest.length === WAITING_READ;
    const behind = isCut ? this.database.all(selectUrgent, { afterId: last.id }) : [];
    return [...oldest, ...behind].map((row) => ({ ...row, notice: JSON.parse(row.notice) as EventNotice }));
  }

  /** Counts the message before it is sent: one that may have arrived is one of the hour. Returns its number. */
  sending(ids: readonly number[], at: Integer): Promise<number> {
    return this.database.write("event-sending", (tx) => {
      for (const id of ids) eventNotices.update(tx, { id }, { is_sending: 1 });
      return messages.insert(tx, { sent_at: at });
    });
  }

  /** Gives notices back whose message has surely not arrived. */
  async notSent(ids: readonly number[], message?: number): Promise<void> {
    await this.database.write("event-not-sent", (tx) => {
      for (const id of ids) eventNotices.update(tx, { id }, { is_sending: 0 });
      if (message !== undefined) messages.delete(tx, { id: message });
    });
  }

  async remove(ids: readonly number[]): Promise<void> {
    await this.database.write("event-told", (tx) => {
      for (const id of ids) eventNotices.delete(tx, { id });
    });
  }

  /** Returns when messages were sent since `since`, the oldest first, and forgets others. */
  async sentSince(since: Integer, now: Integer): Promise<readonly Integer[]> {
    const times = () =>
      messages.all(this.database, {}, { orderBy: ["sent_at"] }).map(({ sent_at }) => sent_at);
    const known = times();
    // A clock that was set back has no messages of the future.
    if (known.every((at) => at > since && at <= now)) return known;
    await this.database.write(
      "event-hour",
      (tx) => void tx.run(deleteMessages, { before: since, after: now }),
    );
    return times();
  }

  chat(chatId: number): EventChatRow {
    const known = chats.get(this.database, { chat_id: chatId });
    return known ?? { chat_id: chatId, moved_to: null, lost_since: null };
  }

  async keepChat(chat: EventChatRow): Promise<void> {
    await this.database.write("event-chat", (tx) => chats.save(tx, ["chat_id"], chat));
  }

  isReported(day: string): boolean {
    return reports.get(this.database, { day }) !== undefined;
  }

  /** True once a day was reported. */
  hasReported(): boolean {
    return reports.get(this.database, {}) !== undefined;
  }

  /** Takes a day, which has one report at most. Calls `record` for the first one, in the same transaction. */
  async takeDay(day: string, at: Integer, record: (tx: Transaction) => void): Promise<void> {
    await this.database.write("daily-report", (tx) => {
      if (reports.insertOnce(tx, { day, made_at: at })) record(tx);
    });
  }
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

interface EventChatParts {
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
  readonly looks: Recurring;
  #isRecovered = false;
  #notBefore = Number.NEGATIVE_INFINITY;
  #failures = 0;

  constructor(private readonly parts: EventChatParts) {
    const { store, clock, logger } = parts;
    this.looks = new Recurring({
      clock,
      everyMs: EVENTS_LOOK_MS,
      wokenBy: (wake) => store.onRecorded(wake),
      work: (signal) => this.#look(signal),
      isIdle: () => store.waiting().length === 0,
      onFailure: (error) => logger.warn({ err: error }, "event chat not told, trying again"),
    });
  }

  /** Ends what an earlier run was sending: a report is told at most once, other news at least once. */
  async #recover(): Promise<void> {
    const { store } = this.parts;
    const cut = store.waiting().filter(({ is_sending }) => is_sending);
    const { report = [], other = [] } = Object.groupBy(cut, ({ notice }) =>
      notice.kind === "report" ? "report" : "other",
    );
    if (report.length > 0) await store.remove(idsOf(report));
    if (other.length > 0) await store.notSent(idsOf(other));
  }

  async #look(signal: AbortSignal): Promise<void> {
    if (!this.#isRecovered) await this.#recover();
    this.#isRecovered = true;
    while (!signal.aborted && this.parts.clock.monotonic() >= this.#notBefore) {
      if (!(await this.#sendNext())) return;
    }
  }

  /** Returns false when nothing is to be sent now. */
  async #sendNext(): Promise<boolean> {
    const { store, clock } = this.parts;
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
    const { people } = this.parts;
    const language = this.parts.language();
    const told = notices.map(({ notice }) => notice);
    const [first] = told;
    try {
      if (!first || told.length > 1) return eventSummaryText(told, language, people);
      return cutText(operatorNoticeText(first, language, people), TEXT_LENGTH_MAX);
    } catch (error) {
      this.parts.logger.error({ notices: told, err: error }, "events without words dropped");
      return undefined;
    }
  }

  async #send(notices: readonly WaitingNotice[], text: string, message: number): Promise<boolean> {
    const { api, place, store, clock, logger } = this.parts;
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
    const { place, store, clock, logger, onLost } = this.parts;
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
