import type { Generated, Selectable } from "kysely";
import type { Integer } from "../../platform/integer.js";

/** What the event chat has not been told yet. Times in ms since the epoch. */
interface EventNoticeTable {
  id: Generated<number>;
  at: Integer;
  /** JSON of `EventNotice`. */
  notice: string;
  /** 1 from before it is sent until it is known to have arrived. */
  is_sending: Generated<0 | 1>;
}
export type EventNoticeRow = Selectable<EventNoticeTable>;

/** Messages to the event chat of the last hour. */
interface EventMessageTable {
  id: Generated<number>;
  sent_at: Integer;
}

/** What is known of the event chat beyond its setting. */
export interface EventChatRow {
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

declare module "../../database/schema.js" {
  interface Schema {
    event_notice: EventNoticeTable;
    event_message: EventMessageTable;
    event_chat: EventChatRow;
    daily_report: DailyReportTable;
  }
}
