import type { Migration } from "../migrate.js";

/** Adds what the event chat is told, and the days that were reported. */
export const events: Migration = {
  name: "events",
  sql: `
    CREATE TABLE event_notice (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      at INTEGER NOT NULL,
      notice TEXT NOT NULL CHECK (json_valid(notice)),
      is_sending INTEGER NOT NULL DEFAULT 0 CHECK (is_sending IN (0, 1))
    ) STRICT;
    CREATE TABLE event_message (id INTEGER PRIMARY KEY, sent_at INTEGER NOT NULL) STRICT;
    CREATE TABLE event_chat (
      chat_id INTEGER PRIMARY KEY,
      moved_to INTEGER,
      lost_since INTEGER
    ) STRICT;
    CREATE TABLE daily_report (day TEXT PRIMARY KEY, made_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  `,
};
