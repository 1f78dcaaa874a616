import type { TelegramChat, TelegramInlineKeyboardMarkup, TelegramMessage } from "@gramio/types";
import type { KeptChat } from "./kept-state.js";
import { present } from "./params.js";
import type { ShownKeyboard } from "./shown-keyboard.js";

export interface Markup {
  inline?: TelegramInlineKeyboardMarkup;
  shown?: ShownKeyboard;
}

/** A message and what the clients know of it besides. */
export interface Entry {
  message: TelegramMessage;
  shown?: ShownKeyboard;
  /** True for an invoice that was paid. */
  isPaid?: boolean;
}

export interface Topic {
  id: number;
  name: string;
  icon_color: number;
}

export type BotStatus = "member" | "administrator" | "kicked";

/** One chat with its history. Channels are left out. */
export class Chat {
  readonly entries = new Map<number, Entry>();
  readonly topics = new Map<number, Topic>();
  readonly members: Set<number>;
  readonly chatInstance: string;
  botStatus: BotStatus = "member";
  /** The bot that wrote last here; bare commands of a group go to it. */
  lastBotId: number | undefined;
  /** Deleted topics and when they were deleted, in ms since the epoch. */
  readonly deletedTopics = new Map<number, number>();

  constructor(
    readonly about: TelegramChat & { type: "private" | "group" | "supergroup" },
    members: readonly number[],
    readonly nextMessageId: () => number,
    readonly hasPrivacy: boolean,
  ) {
    this.members = new Set(members);
    this.chatInstance = `${Math.abs(about.id)}${Math.floor(Math.random() * 1e9)}`;
  }

  kept(): KeptChat {
    return present<KeptChat>({
      id: this.id,
      botStatus: this.botStatus,
      lastBotId: this.lastBotId,
      entries: [...this.entries.values()],
      topics: [...this.topics.values()],
      deletedTopics: [...this.deletedTopics],
    });
  }

  restore({ botStatus, lastBotId, entries, topics, deletedTopics }: KeptChat): void {
    this.botStatus = botStatus;
    this.lastBotId = lastBotId;
    for (const entry of entries) this.entries.set(entry.message.message_id, present<Entry>(entry));
    for (const topic of topics) this.topics.set(topic.id, topic);
    for (const [id, atMs] of deletedTopics) this.deletedTopics.set(id, atMs);
  }

  get id(): number {
    return this.about.id;
  }

  get isPrivate(): boolean {
    return this.about.type === "private";
  }

  get title(): string {
    return this.about.title ?? this.about.first_name ?? String(this.id);
  }

  /** Messages from the oldest to the newest. */
  messages(): TelegramMessage[] {
    return [...this.entries.values()].map(({ message }) => message);
  }

  message(id: number | undefined): TelegramMessage | undefined {
    return id === undefined ? undefined : this.entries.get(id)?.message;
  }
}
