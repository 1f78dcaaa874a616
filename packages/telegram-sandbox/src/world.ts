import type { TelegramMessage, TelegramUser } from "@gramio/types";
import { Chat, type Entry } from "./chat.js";
import type { Clock } from "./clock.js";
import type { KeptState } from "./kept-state.js";
import { present } from "./params.js";
import type { ShownKeyboard } from "./shown-keyboard.js";
import type { CheckoutOutcome } from "./stars.js";

/** A person of the sandbox. */
export interface PersonSpec {
  id: number;
  first_name: string;
  last_name?: string;
  username?: string;
  language_code?: string;
  /** Shown on the page as the admin of the demo; it changes nothing in the Bot API. */
  is_admin?: boolean;
  /** Whole Stars in the purse; none by default. */
  stars?: number;
}

export const DEFAULT_PEOPLE: readonly PersonSpec[] = [
  { id: 1001, first_name: "Anna", username: "anna", language_code: "en" },
  { id: 1002, first_name: "Борис", username: "boris", language_code: "ru" },
  { id: 1003, first_name: "Olga", username: "olga", language_code: "en", is_admin: true },
];

export interface Person {
  readonly user: TelegramUser;
  readonly isAdmin: boolean;
  hasStarted: boolean;
  /** True once the server has seen this person in a message of a group. */
  isKnown: boolean;
  hasBlockedBot: boolean;
  isDeactivated: boolean;
  /** The purse, in whole Stars. */
  stars: number;
}

export interface GroupSpec {
  title?: string;
  /** True for a group with topics. */
  is_forum?: boolean;
  /** Names of topics that are open from the start; with any, the group is a forum. */
  topics?: readonly string[];
  /** Privacy mode of the bot: on by default, as BotFather leaves it. */
  privacy?: boolean;
  bot_is_admin?: boolean;
}

/** What happened in a chat, for the page and for waiting tests. */
export type WorldEvent =
  | { type: "message" | "edited"; chat: Chat; entry: Entry }
  | { type: "deleted"; chat: Chat; messageIds: readonly number[] }
  | { type: "action"; chat: Chat; action: string }
  | {
      type: "callback_answer";
      person: number;
      chat: Chat;
      messageId: number;
      data: string;
      answer: TapAnswer;
    }
  /** What became of a payment; `messageId` is the invoice's. */
  | { type: "payment"; person: number; chat: Chat; messageId: number; outcome: CheckoutOutcome }
  | { type: "purse"; person: number; stars: number }
  | { type: "commands" };

/** The answer to a tap as the person sees it. */
export interface TapAnswer {
  text?: string;
  show_alert: boolean;
  url?: string;
}

/** The part of a message that is not said by its place: text or media, reply, markup. */
export type Content = Partial<Omit<TelegramMessage, "message_id" | "chat" | "date">>;

const GROUP_ID = -1_001_000_000_001;

interface WorldOptions {
  clock: Clock;
  bot: TelegramUser;
  people: readonly PersonSpec[];
  group: GroupSpec;
  firstMessageId: number;
}

/** The people, the chats and every message, with one stream of events about them. */
export class World {
  readonly bot: TelegramUser;
  readonly people = new Map<number, Person>();
  readonly chats = new Map<number, Chat>();
  /** The group of all. */
  readonly group: Chat;
  readonly #clock: Clock;
  readonly #listeners = new Set<(event: WorldEvent) => void>();
  #nextPrivateId: number;
  #nextGroupId: number;

  constructor(options: WorldOptions) {
    this.bot = options.bot;
    this.#clock = options.clock;
    this.#nextPrivateId = options.firstMessageId;
    this.#nextGroupId = options.firstMessageId;
    this.group = this.#openGroup(options.group);
    for (const spec of options.people) this.addPerson(spec);
  }

  /** Adds a person with a private chat, and to the group. */
  addPerson(spec: PersonSpec): Person {
    const { is_admin: isAdmin = false, stars = 0, ...names } = spec;
    const user: TelegramUser = { is_bot: false, ...names };
    const person = {
      user,
      isAdmin,
      hasStarted: false,
      isKnown: false,
      hasBlockedBot: false,
      isDeactivated: false,
      stars,
    };
    const { id, first_name, last_name, username } = user;
    const about = present<Chat["about"]>({ id, type: "private", first_name, last_name, username });
    // All private chats of a bot share one sequence of message ids, as in the bot's own mailbox.
    this.chats.set(id, new Chat(about, [id], () => this.#nextPrivateId++, false));
    this.people.set(id, person);
    this.group.members.add(id);
    return person;
  }

  #openGroup(spec: GroupSpec): Chat {
    const about = present<Chat["about"]>({
      id: GROUP_ID,
      type: "supergroup",
      title: spec.title ?? "Atelier group",
      is_forum: spec.is_forum || spec.topics?.length ? true : undefined,
    });
    const chat = new Chat(about, [], () => this.#nextGroupId++, spec.privacy ?? true);
    if (spec.bot_is_admin) chat.botStatus = "administrator";
    this.chats.set(chat.id, chat);
    return chat;
  }

  kept(): Pick<KeptState, "nextPrivateId" | "nextGroupId" | "people" | "chats"> {
    const people = [...this.people.values()].map(({ user, isAdmin: _, ...flags }) => ({
      id: user.id,
      ...flags,
    }));
    const chats = [...this.chats.values()].map((chat) => chat.kept());
    return { nextPrivateId: this.#nextPrivateId, nextGroupId: this.#nextGroupId, people, chats };
  }

  /** Gives the people and chats that there are what an earlier run kept of them. */
  restore({ nextPrivateId, nextGroupId, people, chats }: KeptState): void {
    this.#nextPrivateId = nextPrivateId;
    this.#nextGroupId = nextGroupId;
    for (const { id, ...flags } of people) Object.assign(this.people.get(id) ?? {}, flags);
    for (const chat of chats) this.chats.get(chat.id)?.restore(chat);
  }

  now(): number {
    return this.#clock.now();
  }

  /** The time as Telegram writes it: whole seconds. */
  date(): number {
    return Math.floor(this.now() / 1000);
  }

  /** Calls `listener` with every event until the returned function is called. */
  on(listener: (event: WorldEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  emit(event: WorldEvent): void {
    for (const listener of [...this.#listeners]) listener(event);
  }

  /** Puts a new message into a chat. */
  post(chat: Chat, from: TelegramUser, content: Content, shown?: ShownKeyboard): TelegramMessage {
    const place = { message_id: chat.nextMessageId(), from, chat: chat.about, date: this.date() };
    const message: TelegramMessage = { ...place, ...content };
    const entry = present<Entry>({ message, shown });
    chat.entries.set(message.message_id, entry);
    if (from.is_bot && !message.sender_chat) chat.lastBotId = from.id;
    this.emit({ type: "message", chat, entry });
    return message;
  }

  /** Puts a changed message in the place of the one with its id. */
  replace(chat: Chat, message: TelegramMessage): TelegramMessage {
    const entry = { ...chat.entries.get(message.message_id), message };
    chat.entries.set(message.message_id, entry);
    this.emit({ type: "edited", chat, entry });
    return message;
  }

  /** Removes messages; ids that are not there are skipped. */
  remove(chat: Chat, messageIds: readonly number[]): void {
    const removed = messageIds.filter((id) => chat.entries.delete(id));
    if (removed.length > 0) this.emit({ type: "deleted", chat, messageIds: removed });
  }
}
