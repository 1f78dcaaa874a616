import type { TelegramBotCommand, TelegramMessage, TelegramUser } from "@gramio/types";

/**
 * What the chat page and the sandbox say to each other: JSON over HTTP, and one stream of
 * server-sent events a person. Messages are the Bot API's own objects as that person sees them,
 * save that `reply_markup` holds a keyboard of any kind (inline, reply, its removal, force reply):
 * the Bot API shows a bot only the inline ones. A refusal is `{ "error": "…" }` with a status of 4xx.
 * A post is JSON of `PostBodies`, save for messages. A stream begins with one `commands` event a chat,
 * and a comment every 15 s keeps it open.
 *
 *   GET  /chat/state                     → PageState
 *   GET  /chat/events?person=ID          → text/event-stream; every `data:` is one PageEvent
 *   POST /chat/messages                  → SentMessage; JSON, or multipart with files in `file`
 *   POST /chat/edits                     → SentMessage
 *   POST /chat/deletions                 → 204; it comes as an event too
 *   POST /chat/taps                      → 202; the answer comes as an event
 *   POST /chat/blocks                    → 204
 *   POST /chat/payments                  → 202; what becomes of it comes as an event
 *   POST /chat/purses                    → 204
 *   POST /chat/shared-users              → SentMessage
 *   GET  /chat/files/FILE_ID             → the bytes, with mime type and range requests
 *   ANY  /services/NAME                  → as /control/NAME of the services' stand-ins, where there are any
 */
export interface PageState {
  bot: TelegramUser;
  people: readonly PagePerson[];
  chats: readonly PageChat[];
  /** True where `/services/…` answers: the control API of the services that make the files. */
  has_services: boolean;
}

export interface PagePerson extends TelegramUser {
  /** True for the person whom the demo made an admin of the bot. */
  is_admin: boolean;
  /** True while this person has blocked the bot. */
  has_blocked_bot: boolean;
  /** The purse, in whole Stars. */
  stars: number;
}

/** A message, and whether the invoice that it holds was paid. */
export type PageMessage = TelegramMessage & { is_paid?: true };

/** A chat as the page lists it: a private chat of one person with the bot, or a group of all. */
export interface PageChat {
  id: number;
  type: "private" | "group" | "supergroup";
  title: string;
  /** Ids of the people who see it. */
  members: readonly number[];
  messages: readonly PageMessage[];
}

export interface SendBody {
  person: number;
  chat: number;
  text?: string;
  reply_to_message_id?: number;
  message_thread_id?: number;
  /** How files are sent; a photo by default where it is a picture. */
  as?: "photo" | "document" | "voice" | "sticker";
  /** What a sticker stands for. */
  emoji?: string;
  /** Chosen by the page: what comes again with the same one is answered again and not sent twice. */
  random_id?: string;
}

export interface SentMessage {
  message: PageMessage;
}

/** The message that something is done with, and who does it. */
interface Target {
  person: number;
  chat: number;
  message_id: number;
}

/** What is posted to `/chat/NAME`, besides messages. */
export interface PostBodies {
  /** The new text, or the new caption of a message with media. */
  edits: Target & { text: string };
  deletions: { person: number; chat: number; message_ids: readonly number[] };
  taps: Target & { data: string };
  blocks: { person: number; is_blocked: boolean };
  /** Pays the invoice of a message. */
  payments: Target;
  /** Puts Stars into a purse. */
  purses: { person: number; stars: number };
  /** The people that somebody chose for a button with `request_users`. */
  "shared-users": { person: number; chat: number; request_id: number; user_ids: readonly number[] };
}

export type PageEvent =
  | { type: "message"; chat: number; message: PageMessage }
  | { type: "edited"; chat: number; message: PageMessage }
  /** What became of this person's payment; `text` is the bot's refusal. */
  | {
      type: "payment";
      chat: number;
      message_id: number;
      outcome: "paid" | "refused" | "timeout";
      text?: string;
    }
  | { type: "purse"; stars: number }
  | { type: "deleted"; chat: number; message_ids: readonly number[] }
  /** The bot shows "typing…" and the like; it ends after 5 s or with the next message. */
  | { type: "action"; chat: number; action: string }
  /** The answer to a tap of this person. Without text it only ends the spinner of the button. */
  | {
      type: "callback_answer";
      chat: number;
      message_id: number;
      data: string;
      text?: string;
      show_alert: boolean;
      url?: string;
    }
  /** The commands that completion offers to this person in this chat, and what the bot says of itself there. */
  | { type: "commands"; chat: number; commands: readonly TelegramBotCommand[]; description: string };
