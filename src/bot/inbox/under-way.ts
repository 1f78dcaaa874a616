import { type Clock, sleep } from "../../platform/clock.js";

export interface UnderWayLimits {
  /** A handler that takes longer waits for the network: it no longer keeps others from beginning, in ms. */
  slowMs: number;
  /** Handlers that may be slow or wait their turn at once, before everything waits for them after all. */
  mostWaiting: number;
  /** Updates of one chat that may be under way; what it sends beyond that is dropped. */
  mostOfAChat: number;
}

/**
 * Handlers that have begun and not ended. Few begin together; one that is slow, or waits behind an earlier one of
 * its chat, keeps nobody else out.
 */
export class UnderWay {
  readonly #clock: Clock;
  readonly #limits: UnderWayLimits;
  readonly #ofChat = new Map<number, number>();
  #size = 0;
  #waiting = 0;

  constructor(clock: Clock, limits: UnderWayLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Handlers that have not ended, waiting ones too. */
  get size(): number {
    return this.#size;
  }

  /** True when a chat floods the bot: its next update would only wait behind hundreds of its own. */
  isFlooding(chatId: number): boolean {
    return (this.#ofChat.get(chatId) ?? 0) >= this.#limits.mostOfAChat;
  }

  /** Resolves when all have ended, or when time is over. */
  async ended(withinMs: number): Promise<void> {
    const deadline = this.#clock.now() + withinMs;
    while (this.#size > 0 && this.#clock.now() < deadline) await sleep(this.#clock, 20);
  }

  /**
   * Resolves when the handler has ended, or keeps nobody else out any more.
   * @param work never rejects
   */
  add(chatId: number, work: Promise<void>): Promise<void> {
    const before = this.#ofChat.get(chatId) ?? 0;
    this.#ofChat.set(chatId, before + 1);
    this.#size += 1;
    return new Promise((resolve) => {
      let isWaiting = false;
      const wait = () => {
        if (isWaiting || this.#waiting >= this.#limits.mostWaiting) return;
        isWaiting = true;
        this.#waiting += 1;
        resolve();
      };
      const cancel = this.#clock.after(this.#limits.slowMs, wait);
      if (before > 0) wait();
      const end = () => {
        cancel();
        this.#size -= 1;
        if (isWaiting) this.#waiting -= 1;
        this.#leave(chatId);
        resolve();
      };
      work.then(end, end);
    });
  }

  #leave(chatId: number): void {
    const left = (this.#ofChat.get(chatId) ?? 1) - 1;
    if (left > 0) this.#ofChat.set(chatId, left);
    else this.#ofChat.delete(chatId);
  }
}
