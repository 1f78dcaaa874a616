import type { TelegramBotCommand, TelegramMessage } from "@gramio/types";
import type { PageChat, PageEvent, SendBody } from "../protocol.js";

/** What a person is writing; kept while another chat is open. */
export interface Draft {
  text: string;
  files: readonly File[];
  as: SendBody["as"];
  reply: TelegramMessage | undefined;
  /** What a sticker stands for. */
  emoji?: string;
  /** The own message that is being changed: then the text is its new one. */
  edited?: TelegramMessage | undefined;
}

/** A message of this window that the sandbox has not confirmed yet. */
export interface Outgoing {
  key: string;
  text: string;
  files: readonly File[];
  as: SendBody["as"];
  reply: TelegramMessage | undefined;
  emoji?: string;
  /** The topic it stands in; nothing for General and for groups without topics. */
  topic: number | undefined;
  /** `waiting`: for the connection. */
  state: "sending" | "waiting" | "failed";
  reason: string;
  /** Seconds, as in a message. */
  date: number;
}

/** Telegram's apps show a chat action this long unless it is renewed. */
const ACTION_MS = 5_000;
/** Longer than any bot may take to answer a tap: a spinner never stays for good. */
const TAP_PATIENCE_MS = 30_000;

/** One chat as one person sees it. Views subscribe; several changes of one turn are told once. */
export class Chat {
  readonly id: number;
  readonly type: PageChat["type"];
  title: string;
  members: readonly number[];
  commands: readonly TelegramBotCommand[] = [];
  /** What the bot says of itself. */
  description = "";
  outgoing: readonly Outgoing[] = [];
  draft: Draft = emptyDraft();
  action: string | undefined;
  /** Messages that nobody here has read, as `keyOf` names them. */
  readonly #unread = new Set<string>();
  /** The topic that is shown; nothing for General and for groups without topics. */
  topic: number | undefined;
  /** Topics with messages that nobody here has read. */
  readonly unreadTopics = new Set<number | undefined>();
  /** A forced reply that the person closed. */
  dismissedReply: number | undefined;
  /** True while a pane shows this chat: what arrives then is read. */
  isWatched = false;

  readonly #owner: number;
  #messages: readonly TelegramMessage[] = [];
  /** Time-outs of the taps of each button, oldest first: an answer ends the oldest. */
  readonly #taps = new Map<string, ReturnType<typeof setTimeout>[]>();
  readonly #listeners = new Set<() => void>();
  #isTelling = false;
  #actionTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(owner: number, chat: PageChat) {
    this.#owner = owner;
    this.id = chat.id;
    this.type = chat.type;
    this.title = chat.title;
    this.members = chat.members;
    this.#messages = inOrder(chat.messages);
  }

  /** Messages in the order of their ids. */
  get messages(): readonly TelegramMessage[] {
    return this.#messages;
  }

  /** How many messages nobody here has read. */
  get unread(): number {
    return this.#unread.size;
  }

  /** True while nothing was written, as before the first /start. */
  get isUnbegun(): boolean {
    return this.#messages.length === 0 && this.outgoing.every(({ state }) => state === "failed");
  }

  /** Messages of the topic that is shown. */
  get shown(): readonly TelegramMessage[] {
    return this.topics.length === 0
      ? this.#messages
      : this.#messages.filter((message) => topicOf(message) === this.topic);
  }

  /** What is on its way in the topic that is shown. */
  get shownOutgoing(): readonly Outgoing[] {
    return this.outgoing.filter(({ topic }) => topic === this.topic);
  }

  /** Topics in the order in which they were opened, without General. */
  get topics(): readonly { id: number; name: string }[] {
    return this.#messages.flatMap(({ forum_topic_created: opened, message_id: id }) =>
      opened ? [{ id, name: opened.name }] : [],
    );
  }

  /** Shows another topic. */
  openTopic(id: number | undefined): void {
    this.topic = id;
    this.draft.reply = undefined;
    if (this.isWatched) this.unreadTopics.delete(id);
    this.changed();
  }

  subscribe(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /** Tells the views, once for all changes of this turn. */
  changed(): void {
    if (this.#isTelling) return;
    this.#isTelling = true;
    queueMicrotask(() => {
      this.#isTelling = false;
      for (const listener of this.#listeners) listener();
    });
  }

  /** Takes the whole chat anew, as after a lost connection. */
  reload(chat: PageChat): void {
    const known = new Set(this.#messages.map(keyOf));
    this.title = chat.title;
    this.members = chat.members;
    this.#messages = inOrder(chat.messages);
    if (!this.#messages.some(({ message_id }) => message_id === this.dismissedReply)) {
      this.dismissedReply = undefined;
    }
    if (!this.topics.some(({ id }) => id === this.topic)) this.topic = undefined;
    for (const message of this.#messages) if (!known.has(keyOf(message))) this.#arrived(message);
    this.#forgetGone();
    this.changed();
  }

  apply(event: Exclude<PageEvent, { type: "purse" }>): void {
    if (event.type === "message") this.put(event.message);
    else if (event.type === "edited") this.#replace(event.message);
    else if (event.type === "deleted") this.#remove(event.message_ids);
    else if (event.type === "action") this.#act(event.action);
    else if (event.type === "callback_answer") this.endTap(event.message_id, event.data);
    else if (event.type === "commands") this.#offer(event);
    this.changed();
  }

  #offer({ commands, description }: Extract<PageEvent, { type: "commands" }>): void {
    this.commands = commands;
    this.description = description;
  }

  /** Adds a message; one that is known is replaced, so it may come twice. */
  put(message: TelegramMessage): void {
    const isKnown = this.#messages.some(({ message_id }) => message_id === message.message_id);
    if (isKnown) {
      this.#replace(message);
      return;
    }
    this.#messages = inOrder([...this.#messages, message]);
    this.#arrived(message);
    this.changed();
  }

  /** The message was seen: nothing in this chat is new any more. */
  read(): void {
    const isTopicRead = this.unreadTopics.delete(this.topic);
    if (this.unread === 0 && !isTopicRead) return;
    this.#unread.clear();
    this.changed();
  }

  /** Counts a tap as waiting for its answer. Taps on one button add up. */
  startTap(messageId: number, data: string): void {
    const key = `${messageId}:${data}`;
    const timeout = setTimeout(() => this.endTap(messageId, data), TAP_PATIENCE_MS);
    this.#taps.set(key, [...(this.#taps.get(key) ?? []), timeout]);
    this.changed();
  }

  endTap(messageId: number, data: string): void {
    const key = `${messageId}:${data}`;
    const [oldest, ...left] = this.#taps.get(key) ?? [];
    clearTimeout(oldest);
    if (left.length > 0) this.#taps.set(key, left);
    else this.#taps.delete(key);
    this.changed();
  }

  isTapWaiting(messageId: number, data: string): boolean {
    return this.#taps.has(`${messageId}:${data}`);
  }

  #arrived(message: TelegramMessage): void {
    if (message.from?.id === this.#owner) this.#settleOutgoing(message);
    else {
      const isSeen = this.isWatched && !document.hidden;
      if (!isSeen) this.#unread.add(keyOf(message));
      if (!isSeen || topicOf(message) !== this.topic) this.unreadTopics.add(topicOf(message));
    }
    if (message.from?.is_bot) this.action = undefined;
  }

  /** The event of an own message may overtake the answer to its POST: then it already takes the place. */
  #settleOutgoing(message: TelegramMessage): void {
    const text = message.text ?? message.caption ?? "";
    // One that waits may have been sent: the answer alone was lost.
    const settled = this.outgoing.find((one) => one.state !== "failed" && one.text === text);
    if (settled !== undefined) this.outgoing = this.outgoing.filter((one) => one !== settled);
  }

  #replace(message: TelegramMessage): void {
    this.#messages = this.#messages.map((one) => (one.message_id === message.message_id ? message : one));
    this.changed();
  }

  #remove(ids: readonly number[]): void {
    this.#messages = this.#messages.filter(({ message_id }) => !ids.includes(message_id));
    this.#forgetGone();
  }

  /** What is not in the chat any more, as after a restart that kept nothing, is not to be read. */
  #forgetGone(): void {
    const present = new Set(this.#messages.map(keyOf));
    for (const key of this.#unread) if (!present.has(key)) this.#unread.delete(key);
  }

  #act(action: string): void {
    this.action = action;
    clearTimeout(this.#actionTimer);
    this.#actionTimer = setTimeout(() => {
      this.action = undefined;
      this.changed();
    }, ACTION_MS);
  }
}

/** A draft with nothing in it. */
export function emptyDraft(): Draft {
  return { text: "", files: [], as: undefined, reply: undefined };
}

/** A message of this run: another run of the sandbox may give its id to another message. */
function keyOf({ message_id, date, from }: TelegramMessage): string {
  return `${message_id} ${date} ${from?.id}`;
}

/** The topic of a message; nothing for General. */
function topicOf({ is_topic_message, message_thread_id }: TelegramMessage): number | undefined {
  return is_topic_message ? message_thread_id : undefined;
}

function inOrder(messages: readonly TelegramMessage[]): readonly TelegramMessage[] {
  return messages.toSorted((a, b) => a.message_id - b.message_id);
}
