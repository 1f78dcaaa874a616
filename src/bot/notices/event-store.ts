import { type Generated, type Selectable, sql } from "kysely";
import type { Database, Transaction } from "../../database/database.js";
import { prepare, qb } from "../../database/prepared.js";
import { table } from "../../database/table.js";
import type { Integer } from "../../platform/integer.js";
import { HOUR_MS } from "../../platform/units.js";
import type { EventNotice } from "./notice-text.js";

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

declare module "../../database/prepared.js" {
  interface Schema {
    event_notice: EventNoticeTable;
    event_message: EventMessageTable;
    event_chat: EventChatRow;
  }
}

/** Bounds what one look reads. More is summed up by the next looks. */
const WAITING_READ = 1000;
/** Kinds that people make many of, and that ask for nothing. */
export const NEWS_KINDS: readonly EventNotice["kind"][] = ["new_person", "sale"];

export type WaitingNotice = Omit<EventNoticeRow, "notice"> & { notice: EventNotice };

const eventNotices = table("event_notice");
const messages = table("event_message");
const chats = table("event_chat");

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
/** Keeps what the event chat is to be told until it was told. */
export class EventStore {
  constructor(private readonly database: Database) {}

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
      for (const { id, sent_at } of messages.all(tx, {}))
        if (!isOfHour(sent_at, at)) messages.delete(tx, { id });
      return messages.insert(tx, { sent_at: at });
    });
  }

  /** Gives notices back whose message has surely not arrived. */
  async notSent(ids: readonly number[], message: number): Promise<void> {
    await this.database.write("event-not-sent", (tx) => {
      for (const id of ids) eventNotices.update(tx, { id }, { is_sending: 0 });
      messages.delete(tx, { id: message });
    });
  }

  async remove(ids: readonly number[]): Promise<void> {
    await this.database.write("event-told", (tx) => {
      for (const id of ids) eventNotices.delete(tx, { id });
    });
  }

  /** Counts the messages of the hour before `now`. */
  sentInHour(now: Integer): number {
    return messages.all(this.database, {}).filter(({ sent_at }) => isOfHour(sent_at, now)).length;
  }

  chat(chatId: number): EventChatRow {
    const known = chats.get(this.database, { chat_id: chatId });
    return known ?? { chat_id: chatId, moved_to: null, lost_since: null };
  }

  async keepChat(chat: EventChatRow): Promise<void> {
    await this.database.write("event-chat", (tx) => chats.save(tx, ["chat_id"], chat));
  }
}

/** A clock that was set back has no messages of the future. */
function isOfHour(sentAt: number, now: number): boolean {
  return sentAt > now - HOUR_MS && sentAt <= now;
}
