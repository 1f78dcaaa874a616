import type { Migration } from "../migrate.js";

/** Keeps what people ask support, where admins see it, and what they answer. */
export const support: Migration = {
  name: "support",
  sql: `
    CREATE TABLE support_topic (
      chat_id INTEGER NOT NULL,
      thread_id INTEGER NOT NULL,
      user_id INTEGER,
      is_closed INTEGER NOT NULL DEFAULT 0 CHECK (is_closed IN (0, 1)),
      PRIMARY KEY (chat_id, thread_id)
    ) STRICT;
    CREATE UNIQUE INDEX support_topic_user ON support_topic (user_id, chat_id) WHERE user_id IS NOT NULL;
    CREATE INDEX support_topic_forgotten ON support_topic (chat_id) WHERE user_id IS NULL;
    CREATE TABLE support_ticket (
      id INTEGER PRIMARY KEY,
      user_id INTEGER NOT NULL,
      message_id INTEGER NOT NULL,
      kind TEXT NOT NULL CHECK (kind IN ('question', 'payment')),
      album TEXT,
      created_at INTEGER NOT NULL,
      sent_at INTEGER,
      UNIQUE (user_id, message_id)
    ) STRICT;
    CREATE INDEX support_ticket_user ON support_ticket (user_id, created_at);
    CREATE INDEX support_ticket_waiting ON support_ticket (id) WHERE sent_at IS NULL;
    CREATE INDEX support_ticket_sent ON support_ticket (sent_at);
    CREATE TABLE support_copy (
      chat_id INTEGER NOT NULL,
      message_id INTEGER NOT NULL,
      thread_id INTEGER,
      user_id INTEGER,
      asked_id INTEGER,
      created_at INTEGER NOT NULL,
      PRIMARY KEY (chat_id, message_id)
    ) STRICT;
    CREATE INDEX support_copy_user ON support_copy (user_id);
    CREATE INDEX support_copy_age ON support_copy (created_at);
    CREATE TABLE support_answer (
      chat_id INTEGER NOT NULL,
      message_id INTEGER NOT NULL,
      user_id INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      sent_id INTEGER,
      PRIMARY KEY (chat_id, message_id)
    ) STRICT;
    CREATE INDEX support_answer_user ON support_answer (user_id, sent_id);
    CREATE INDEX support_answer_age ON support_answer (created_at);
  `,
};
