/** An update as Telegram sends it. */
export type Update = { update_id: number } & Record<string, unknown>;

interface Poll {
  limit: number;
  answer: (updates: readonly Update[]) => void;
  timer: NodeJS.Timeout;
}

/** Updates that wait for being fetched, and the one long poll that waits for updates. */
export class Updates {
  #nextId = 1;
  #waiting: Update[] = [];
  #poll: Poll | undefined;
  #isFlushTimed = false;

  push(content: Record<string, unknown>): void {
    this.#waiting.push({ update_id: this.#nextId++, ...content });
    if (!this.#poll || this.#isFlushTimed) return;
    this.#isFlushTimed = true;
    setImmediate(() => {
      this.#isFlushTimed = false;
      this.#answer();
    });
  }

  /** Confirms everything before `offset`, then answers as soon as there is something, or when time is over. */
  poll(offset: number, limit: number, timeoutSec: number, answer: Poll["answer"]): void {
    const first = this.#waiting.findIndex(({ update_id }) => update_id >= offset);
    this.#waiting.splice(0, first < 0 ? this.#waiting.length : first);
    const timer = setTimeout(() => this.#answer(), timeoutSec * 1000).unref();
    this.#poll = { limit, answer, timer };
    if (this.#waiting.length > 0) this.#answer();
  }

  #answer(): void {
    const poll = this.#poll;
    if (!poll) return;
    this.#poll = undefined;
    clearTimeout(poll.timer);
    poll.answer(this.#waiting.slice(0, poll.limit));
  }
}
