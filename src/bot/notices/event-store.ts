import { sql } from "kysely";
import type { Database } from "../../database/database.js";
import { prepare } from "../../database/prepared.js";
import { qb } from "../../database/schema.js";
import type { Transaction } from "../../database/transaction.js";
import type { Integer } from "../../platform/integer.js";
import type { EventChatRow, EventNoticeRow } from "./event-table.js";
import type { EventNotice } from "./notice-text.js";

/** Bounds what one look reads. More is summed up by the next looks. */
const WAITING_READ = 1000;
/** Kinds that people make many of, and that ask for nothing. */
export const NEWS_KINDS: readonly EventNotice["kind"][] = ["new_person", "sale"];

export interface WaitingNotice {
  id: number;
  at: Integer;
  notice: EventNotice;
  isSending: boolean;
}

const insertNotice = prepare<{ at: Integer; notice: string }>((p) =>
  qb.insertInto("event_notice").values({ at: p.at, notice: p.notice }),
);
const selectNotices = prepare<object, EventNoticeRow>(() =>
  qb.selectFrom("event_notice").selectAll().orderBy("id").limit(sql.lit(WAITING_READ)),
);
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
const setSending = prepare<{ id: number; is_sending: 0 | 1 }>((p) =>
  qb.updateTable("event_notice").set({ is_sending: p.is_sending }).where("id", "=", p.id),
);
const deleteNotice = prepare<{ id: number }>((p) => qb.deleteFrom("event_notice").where("id", "=", p.id));
const insertMessage = prepare<{ sent_at: Integer }>((p) =>
  qb.insertInto("event_message").values({ sent_at: p.sent_at }),
);
const deleteMessages = prepare<{ before: Integer; after: Integer }>((p) =>
  qb
    .deleteFrom("event_message")
    .where((eb) => eb.or([eb("sent_at", "<=", p.before), eb("sent_at", ">", p.after)])),
);
const deleteMessage = prepare<{ id: number }>((p) => qb.deleteFrom("event_message").where("id", "=", p.id));
const selectMessages = prepare<object, { sent_at: Integer }>(() =>
  qb.selectFrom("event_message").select("sent_at").orderBy("sent_at"),
);
const selectChat = prepare<{ chat_id: number }, EventChatRow>((p) =>
  qb.selectFrom("event_chat").selectAll().where("chat_id", "=", p.chat_id),
);
const upsertChat = prepare<EventChatRow>((p) => {
  const values = { moved_to: p.moved_to, lost_since: p.lost_since };
  return qb
    .insertInto("event_chat")
    .values({ chat_id: p.chat_id, ...values })
    .onConflict((conflict) => conflict.column("chat_id").doUpdateSet(values));
});
const insertReport = prepare<{ day: string; made_at: Integer }>((p) =>
  qb
    .insertInto("daily_report")
    .values({ day: p.day, made_at: p.made_at })
    .onConflict((conflict) => conflict.doNothing()),
);
const selectReport = prepare<{ day: string }, { day: string }>((p) =>
  qb.selectFrom("daily_report").select("day").where("day", "=", p.day),
);
const selectAnyReport = prepare<object, { day: string }>(() =>
  qb.selectFrom("daily_report").select("day").limit(1),
);

/** Keeps what the event chat is to be told until it was told. */
export class EventStore {
  readonly #database: Database;
  #onRecorded = () => {};

  constructor(database: Database) {
    this.#database = database;
  }

  /** Calls `listener` when notices were recorded, in place of an earlier one. */
  onRecorded(listener: () => void): void {
    this.#onRecorded = listener;
  }

  /** Records a notice in the transaction of what it tells. */
  record(tx: Transaction, notice: EventNotice, at: Integer): void {
    tx.run(insertNotice, { at, notice: JSON.stringify(notice) });
    tx.afterCommit(() => this.#onRecorded());
  }

  async add(notice: EventNotice, at: Integer): Promise<void> {
    await this.#database.write("event", (tx) => this.record(tx, notice, at));
  }

  /** Returns the oldest notices first, with what asks for a look behind any number of news. */
  waiting(): WaitingNotice[] {
    const oldest = this.#database.all(selectNotices, {});
    const last = oldest.at(-1);
    const isCut = last !== undefined && oldest.length === WAITING_READ;
    const behind = isCut ? this.#database.all(selectUrgent, { afterId: last.id }) : [];
    return [...oldest, ...behind].map(({ id, at, notice, is_sending }) => ({
      id,
      at,
      notice: JSON.parse(notice) as EventNotice,
      isSending: is_sending === 1,
    }));
  }

  /** Counts the message before it is sent: one that may have arrived is one of the hour. Returns its number. */
  sending(ids: readonly number[], at: Integer): Promise<number> {
    return this.#database.write("event-sending", (tx) => {
      for (const id of ids) tx.run(setSending, { id, is_sending: 1 });
      return tx.insert(insertMessage, { sent_at: at });
    });
  }

  /** Gives notices back whose message has surely not arrived. */
  async notSent(ids: readonly number[], message?: number): Promise<void> {
    await this.#database.write("event-not-sent", (tx) => {
      for (const id of ids) tx.run(setSending, { id, is_sending: 0 });
      if (message !== undefined) tx.run(deleteMessage, { id: message });
    });
  }

  async remove(ids: readonly number[]): Promise<void> {
    await this.#database.write("event-told", (tx) => {
      for (const id of ids) tx.run(deleteNotice, { id });
    });
  }

  /** Returns when messages were sent since `since`, the oldest first, and forgets others. */
  async sentSince(since: Integer, now: Integer): Promise<readonly Integer[]> {
    const times = () => this.#database.all(selectMessages, {}).map(({ sent_at }) => sent_at);
    const known = times();
    // A clock that was set back has no messages of the future.
    if (known.every((at) => at > since && at <= now)) return known;
    await this.#database.write(
      "event-hour",
      (tx) => void tx.run(deleteMessages, { before: since, after: now }),
    );
    return times();
  }

  chat(chatId: number): EventChatRow {
    const known = this.#database.first(selectChat, { chat_id: chatId });
    return known ?? { chat_id: chatId, moved_to: null, lost_since: null };
  }

  async keepChat(chat: EventChatRow): Promise<void> {
    await this.#database.write("event-chat", (tx) => void tx.run(upsertChat, chat));
  }

  isReported(day: string): boolean {
    return this.#database.first(selectReport, { day }) !== undefined;
  }

  /** True once a day was reported. */
  hasReported(): boolean {
    return this.#database.first(selectAnyReport, {}) !== undefined;
  }

  /** Takes a day, which has one report at most. Calls `record` for the first one, in the same transaction. */
  async takeDay(day: string, at: Integer, record: (tx: Transaction) => void): Promise<void> {
    await this.#database.write("daily-report", (tx) => {
      if (tx.run(insertReport, { day, made_at: at }) > 0) record(tx);
    });
  }
}
