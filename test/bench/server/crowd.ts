import { setTimeout as pause } from "node:timers/promises";
import type { BotApi, Card } from "./bot-api.js";
import { Chat } from "./chat.js";
import type { Step } from "./script.js";

/** Many chats on one server. Each acts again only when the reply to its last step has come. */
export class Crowd {
  readonly #chats: readonly Chat[];
  /** How many steps each chat has made in its walk. */
  readonly #places = new Map<Chat, number>();
  /** Chats that would act, and wait for their turn. */
  readonly #resting: Chat[];
  #onAnswer: (chat: Chat) => void = () => {};

  constructor(
    private readonly api: BotApi,
    size: number,
  ) {
    this.#chats = Array.from({ length: size }, (_, index) => new Chat(index + 1));
    this.#resting = [...this.#chats];
    api.events.onCard = (card) => this.#see(card);
  }

  /** Lets each chat stand where its next reply finds it; resolves when all do. */
  #rest(): Promise<void> {
    if (this.#resting.length === this.#chats.length) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onAnswer = (chat) => {
        this.#resting.push(chat);
        if (this.#resting.length === this.#chats.length) resolve();
      };
    });
  }

  /** Makes every chat do one step; resolves when all have been answered. */
  all(step: Step): Promise<void> {
    return new Promise((resolve) => {
      let missing = this.#chats.length;
      this.#onAnswer = () => {
        missing -= 1;
        if (missing === 0) resolve();
      };
      for (const chat of this.#chats) this.#act(chat, step);
    });
  }

  /**
   * Lets so many chats a second make their next step for a while; a chat whose reply is still missing is passed over.
   * Resolves with the time from each update to its reply, in ms.
   */
  async pace(steps: readonly Step[], aSecond: number, forMs: number): Promise<number[]> {
    const waits: number[] = [];
    const actedAt = new Map<Chat, number>();
    this.#onAnswer = (chat) => {
      waits.push(performance.now() - (actedAt.get(chat) ?? Number.NaN));
      this.#resting.push(chat);
    };
    const begun = performance.now();
    for (let made = 0; made < (forMs / 1000) * aSecond; made += 1) {
      await pause(Math.max(0, begun + (made * 1000) / aSecond - performance.now()));
      const chat = this.#resting.shift();
      const place = chat ? (this.#places.get(chat) ?? 0) : 0;
      const step = steps[place % steps.length];
      if (!chat || !step) continue;
      this.#places.set(chat, place + 1);
      actedAt.set(chat, performance.now());
      this.#act(chat, step);
    }
    await this.#rest();
    return waits;
  }

  #act(chat: Chat, step: Step): void {
    this.api.updates.push(chat.act(step, this.api.newMessageId()));
  }

  #see(card: Card): void {
    const chat = this.#chats[card.chatId - 1];
    if (!chat) return;
    chat.see(card);
    this.#onAnswer(chat);
  }
}
