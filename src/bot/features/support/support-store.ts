import { InlineKeyboard } from "grammy";
import type { Generated, Selectable } from "kysely";
import type { Database, Reads, Transaction } from "../../../database/database.js";
import { lessThan, moreThan, not, table } from "../../../database/table.js";
import type { DataSection } from "../../../gather/personal-data-service.js";
import type { Clock } from "../../../platform/clock.js";
import { type Integer, integer } from "../../../platform/integer.js";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../platform/units.js";
import { isoTime } from "../../../platform/zoned-time.js";
import { ToldLimits } from "../../orders/pay.js";
import { personText } from "../../people/balance-words.js";
import type { OwnData, Person } from "../../people/people.js";
import { actionData, marked, natural } from "../../telegram/button-data.js";
import { cutText } from "../../texts/html.js";
import type { Language } from "../../texts/texts.js";
import { accountData, paymentListData } from "../person-buttons.js";

/** `payment`: asked about a payment, so that admins get its buttons. */
export type TicketKind = "question" | "payment";

/** The topic of a person in the chat of operators. */
interface SupportTopicTable {
  chat_id: number;
  thread_id: number;
  /** Null once the person was forgotten: the topic is to be deleted. */
  user_id: number | null;
  is_closed: Generated<0 | 1>;
}
export type SupportTopicRow = Selectable<SupportTopicTable>;

/** A message of a person to support, in their private chat. */
interface SupportTicketTable {
  id: Generated<number>;
  user_id: number;
  message_id: number;
  kind: TicketKind;
  /** The album that the message is a part of. */
  album: string | null;
  created_at: Integer;
  /** Null while no admin has a copy. */
  sent_at: Integer | null;
}
export type SupportTicketRow = Selectable<SupportTicketTable>;

/** A message of the bot to admins: a reply to it goes to the person. */
interface SupportCopyRow {
  chat_id: number;
  message_id: number;
  /** Null outside of the person's topic. */
  thread_id: number | null;
  /** Null once the person was forgotten: the message is to be deleted. */
  user_id: number | null;
  /** The message of the person that it is about. */
  asked_id: number | null;
  created_at: Integer;
}

/** A message of an admin that goes to a person. */
interface SupportAnswerRow {
  chat_id: number;
  message_id: number;
  user_id: number;
  created_at: Integer;
  /** The message in the person's chat; null while it may not have arrived. */
  sent_id: number | null;
}

declare module "../../../database/prepared.js" {
  interface Schema {
    support_topic: SupportTopicTable;
    support_ticket: SupportTicketTable;
    support_copy: SupportCopyRow;
    support_answer: SupportAnswerRow;
  }
}

export const tickets = table("support_ticket");
export const topics = table("support_topic");
export const copies = table("support_copy");
export const answers = table("support_answer");

/** Messages to support that a person may send in any minute. An album counts once. */
export const TICKETS_PER_MINUTE = 5;
/** Messages that a person may send in any hour, each of an album: the chat of admins takes 20 a minute from everybody. */
export const MESSAGES_PER_HOUR = 60;
/** How long a reply of an admin, or to one, is understood. */
const KEPT_MS = 180 * DAY_MS;

type ChatMessage = Pick<SupportCopyRow, "chat_id" | "message_id">;
/** A message of the bot to admins. `thread_id`: the person's topic that it stands in. */
export type Copy = Pick<SupportCopyRow, "chat_id" | "message_id" | "thread_id">;
type Thread = Pick<SupportTopicRow, "chat_id" | "thread_id">;

/** Whom a message of an admin is for, and the message of theirs that it answers. */
export interface Addressee {
  user_id: number;
  asked_id: number | null;
}

/** `silent`: one too many, and the person has been told so this minute. */
export type TakeOutcome = "taken" | "refused" | "silent";

/** Keeps what people ask support until admins have it, and whom a reply of an admin is for. */
export class SupportStore implements OwnData {
  readonly #told: ToldLimits;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {
    this.#told = new ToldLimits(clock);
  }

  /** Takes a message once, however often its update comes. */
  async take(
    ticket: Pick<SupportTicketRow, "user_id" | "message_id" | "kind" | "album">,
  ): Promise<TakeOutcome> {
    const { user_id, message_id, album } = ticket;
    const now = this.clock.now();
    const isTaken = await this.database.write("support-ticket", (tx) => {
      if (tickets.get(tx, { user_id, message_id })) return true;
      const isOfAlbum = album !== null && newestTicket(tx, user_id)?.album === album;
      // A clock that was set back must not lock anybody out.
      const ofHour = tickets
        .all(tx, { user_id, created_at: moreThan(now - HOUR_MS) })
        .filter(({ created_at }) => created_at <= now);
      const ofMinute = ofHour.filter(({ created_at }) => created_at > now - MINUTE_MS);
      const told = new Set(ofMinute.map((one) => one.album ?? one.id));
      if (!isOfAlbum && told.size >= TICKETS_PER_MINUTE) return false;
      if (ofHour.length >= MESSAGES_PER_HOUR) return false;
      return tickets.insertOnce(tx, { ...ticket, created_at: now, sent_at: null });
    });
    if (isTaken) return "taken";
    return this.#told.note(user_id) ? "silent" : "refused";
  }

  /** Returns the oldest ticket that no admin has yet. */
  waiting(): SupportTicketRow | undefined {
    return tickets.all(this.database, { sent_at: null }, { orderBy: ["id"], limit: 1 })[0];
  }

  /** True for a part of an album of which admins got another part last. */
  isRest({ user_id, album }: SupportTicketRow): boolean {
    const brought = { sent_at: not(null) };
    const [last] = tickets.all(this.database, brought, { orderBy: ["id desc"], limit: 1 });
    return album !== null && last?.album === album && last.user_id === user_id;
  }

  async sent({ user_id, message_id }: SupportTicketRow, made: readonly Copy[]): Promise<void> {
    const now = this.clock.now();
    await this.database.write("support-sent", (tx) => {
      // Not by its id: SQLite may have given that to another message, where this one was erased.
      const isKnown = tickets.update(tx, { user_id, message_id }, { sent_at: now }) === 1;
      for (const copy of made)
        copies.insertOnce(tx, { ...copy, user_id, asked_id: message_id, created_at: now });
      // The person was forgotten meanwhile.
      if (!isKnown) forgetPlaces(tx, user_id);
    });
  }

  /** Makes a reply to a message of the bot go to a person. */
  async keepCopy(copy: Copy & Addressee): Promise<void> {
    const row = { ...copy, created_at: this.clock.now() };
    await this.database.write("support-copy", (tx) => void copies.insertOnce(tx, row));
  }

  addresseeOfReply(message: ChatMessage): Addressee | undefined {
    const row = copies.get(this.database, message);
    return row && row.user_id !== null ? { user_id: row.user_id, asked_id: row.asked_id } : undefined;
  }

  setClosed({ chat_id, thread_id }: Thread, isClosed: boolean): Promise<unknown> {
    const change = { is_closed: isClosed ? 1 : 0 } as const;
    return this.database.write("support-topic", (tx) => topics.update(tx, { chat_id, thread_id }, change));
  }

  dropTopic({ chat_id, thread_id }: Thread): Promise<unknown> {
    return this.database.write("support-topic", (tx) => topics.delete(tx, { chat_id, thread_id }));
  }

  /** Begins an answer. True where it may not have arrived: for a repeated update, until `answered`. */
  beginAnswer(message: ChatMessage, user_id: number, onNew: OnNewAnswer): Promise<boolean> {
    const created_at = this.clock.now();
    return this.database.write("support-answer", (tx) => {
      if (answers.insertOnce(tx, { ...message, user_id, created_at, sent_id: null })) onNew(tx, created_at);
      return answers.get(tx, message)?.sent_id === null;
    });
  }

  /** Tells whether the person was answered since a time, in ms. */
  hasAnswered(user_id: number, since: number): boolean {
    return answers.get(this.database, { user_id, created_at: moreThan(since) }) !== undefined;
  }

  sections(userId: number): DataSection[] {
    const of = { user_id: userId };
    const asked = tickets
      .all(this.database, of, { orderBy: ["id"] })
      .map(({ created_at, kind, message_id }) => ({ at: isoTime(created_at), kind, message_id }));
    const answered = answers
      .all(this.database, of, { orderBy: ["created_at"] })
      .map(({ created_at, sent_id }) => ({ at: isoTime(created_at), message_id: sent_id }));
    return [
      { name: "support_questions", rows: asked },
      { name: "support_answers", rows: answered },
    ];
  }

  /** Leaves the topic and the copies elsewhere to be deleted at Telegram. */
  eraseIn(tx: Transaction, userId: number): void {
    tickets.delete(tx, { user_id: userId });
    answers.delete(tx, { user_id: userId });
    forgetPlaces(tx, userId);
  }

  async sweep(now: Integer): Promise<void> {
    const before = integer(now - KEPT_MS);
    await this.database.write("support-sweep", (tx) => {
      tickets.delete(tx, { sent_at: lessThan(before) });
      copies.delete(tx, { created_at: lessThan(before) });
      answers.delete(tx, { created_at: lessThan(before) });
    });
  }
}

/** Called in the transaction that begins an answer. */
type OnNewAnswer = (tx: Transaction, at: Integer) => void;

/** Leaves the topic of a person, with which its copies go, and the copies elsewhere to be deleted. */
function forgetPlaces(tx: Transaction, user_id: number): void {
  copies.delete(tx, { user_id, thread_id: not(null) });
  copies.update(tx, { user_id }, { user_id: null });
  topics.update(tx, { user_id }, { user_id: null });
}

export function newestTicket(source: Reads, userId: number): SupportTicketRow | undefined {
  return tickets.all(source, { user_id: userId }, { orderBy: ["created_at desc"], limit: 1 })[0];
}

/**
 * `sp:q` and `sp:p`: a person asks. `sp:w`: a person passes on the words that the button's message replies to.
 * `sp:a:<user id>`: an admin answers a person.
 */
export const supportData = actionData("sp", {
  ask: [marked("kind", { question: "q", payment: "p" })],
  pass: ["w"],
  answer: ["a", natural("userId")],
});

const TOPIC_NAME_MAX = 128;

/** Names the topic of a person: admins find it by name and by id. */
export function topicName({ id, name, username }: Person): string {
  const marks = ` · ${username === null ? "" : `@${username} · `}${id}`;
  return cutText(name, TOPIC_NAME_MAX - marks.length) + marks;
}

/** Tells admins whose message follows, and by `how` what to do about it, as HTML. */
export function headerText(
  person: Person,
  kind: TicketKind,
  how: "support-topic" | "support-chat",
  { t }: Language,
): string {
  return `${t(`support-header-${kind}`, { person: personText(person) })}\n\n${t(how)}`;
}

/** Draws what an admin can do about a message of a person. */
export function ticketKeyboard(userId: number, kind: TicketKind, { t }: Language): InlineKeyboard {
  const keyboard = new InlineKeyboard()
    .text(t("button-support-answer"), supportData.encode({ action: "answer", userId }))
    .text(t("button-account"), accountData.encode({ action: "send", userId }));
  if (kind === "payment") keyboard.row().text(t("button-payments"), paymentListData.encode({ userId }));
  return keyboard;
}

/** Draws the button with which a person passes on to support what they wrote. */
export function passButton({ t }: Language) {
  return InlineKeyboard.text(t("button-pass"), supportData.encode({ action: "pass" }));
}

/** Draws the button with which a person writes to support. */
export function askKeyboard(label: string, kind: TicketKind, { t }: Language): InlineKeyboard {
  return new InlineKeyboard().text(t(label), supportData.encode({ action: "ask", kind }));
}
