/** What the bot knows of people and chats, apart from orders. */
export const CHAT = `
  CREATE TABLE inbox (update_id INTEGER PRIMARY KEY, received_at INTEGER NOT NULL) STRICT;
  CREATE INDEX inbox_by_age ON inbox (received_at);
  -- Apart from the ids, so that its pages are free again as soon as updates are handled.
  CREATE TABLE inbox_pending (
    update_id INTEGER PRIMARY KEY,
    tries INTEGER NOT NULL DEFAULT 0,
    payload TEXT NOT NULL
  ) STRICT;

  CREATE TABLE outbox_message (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    chat_id INTEGER NOT NULL,
    thread_id INTEGER,
    payload TEXT NOT NULL,
    created_at INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE person (
    telegram_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    username TEXT COLLATE NOCASE,
    locale TEXT NOT NULL,
    first_seen_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX person_by_username ON person (username) WHERE username IS NOT NULL;

  CREATE TABLE dialog (key TEXT PRIMARY KEY, state TEXT NOT NULL, updated_at INTEGER NOT NULL)
    STRICT, WITHOUT ROWID;

  CREATE TABLE draft (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id INTEGER NOT NULL,
    chat_id INTEGER NOT NULL,
    thread_id INTEGER,
    message_id INTEGER,
    state TEXT NOT NULL CHECK (state IN ('composing', 'ordered', 'cancelled', 'replaced')),
    view TEXT NOT NULL,
    model_key TEXT,
    parameters TEXT NOT NULL,
    prompt TEXT,
    prompt_message_id INTEGER,
    revision INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    type TEXT NOT NULL DEFAULT 'image' CHECK (type IN ('image', 'video', 'music')),
    taken_message_id INTEGER,
    chosen TEXT NOT NULL DEFAULT '[]'
  ) STRICT;
  -- A person has one card at a time in a chat.
  CREATE UNIQUE INDEX draft_composing ON draft (user_id, chat_id) WHERE state = 'composing';
  CREATE INDEX draft_closed ON draft (updated_at) WHERE state <> 'composing';

  CREATE TABLE last_parameters (
    user_id INTEGER NOT NULL,
    model_key TEXT NOT NULL,
    parameters TEXT NOT NULL,
    used_at INTEGER NOT NULL,
    PRIMARY KEY (user_id, model_key)
  ) STRICT, WITHOUT ROWID;

  -- Messages that show a secret, and when they are deleted.
  CREATE TABLE removal (
    chat_id INTEGER NOT NULL,
    message_id INTEGER NOT NULL,
    remove_at INTEGER NOT NULL,
    PRIMARY KEY (chat_id, message_id)
  ) STRICT, WITHOUT ROWID;

  -- The idempotency key is the command's own: it is asked about and applied once.
  CREATE TABLE asked_correction (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    idempotency_key TEXT NOT NULL UNIQUE,
    admin_id INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('credit', 'debit')),
    user_id INTEGER NOT NULL,
    kopecks INTEGER NOT NULL,
    reason TEXT,
    asked_at INTEGER NOT NULL
  ) STRICT;

  -- Episodes of services that an admin was told of, each in one message that is edited.
  CREATE TABLE told_pause (
    admin_id INTEGER NOT NULL,
    provider TEXT NOT NULL,
    message_id INTEGER,
    shown TEXT NOT NULL DEFAULT '',
    -- Since when the service is up again: the row is kept for the rest of its episode.
    up_since INTEGER,
    PRIMARY KEY (admin_id, provider)
  ) STRICT, WITHOUT ROWID;
`;
