import type { BotApi, Card } from "./bot-api.js";
import { Chat } from "./chat.js";
import type { Step } from "./script.js";

/** Many chats on one server. Each acts again only when the reply to its last step has come. */
export class Crowd {
  /** Steps that were answered so far. */
  answered = 0;
  readonly #api: BotApi;
  readonly #chats: readonly Chat[];
  #onAnswer: (chat: Chat) => void = () => {};

  constructor(api: BotApi, size: number) {
    this.#api = api;
    this.#chats = Array.from({ length: size }, (_, index) => new Chat(index + 1));
    api.events.onCard = (card) => this.#see(card);
  }

  /** Lets every chat walk through the steps again and again, each at the pace of its replies. */
  run(steps: readonly Step[]): void {
    const places = new Map<Chat, number>();
    this.#onAnswer = (chat) => {
      const place = places.get(chat) ?? 0;
      places.set(chat, place + 1);
      const step = steps[place % steps.length];
      if (step) this.#act(chat, step);
    };
    for (const chat of this.#chats) this.#onAnswer(chat);
  }

  /** Ends `run`: the replies that still come are not acted upon. */
  rest(): void {
    this.#onAnswer = () => {};
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

  #act(chat: Chat, step: Step): void {
    this.#api.updates.push(chat.act(step, this.#api.newMessageId()));
  }

  #see(card: Card): void {
    const chat = this.#chats[card.chatId - 1];
    if (!chat) return;
    chat.see(card);
    this.answered += 1;
    this.#onAnswer(chat);
  }
}
