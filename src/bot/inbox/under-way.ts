import { type Clock, sleep } from "../../platform/clock.js";

export interface UnderWayLimits {
  /** A handler that takes longer waits for the network: it no longer keeps others from beginning, in ms. */
  slowMs: number;
  /** Handlers that may be slow or wait their turn at once, before everything waits for them after all. */
  mostWaiting: number;
  /** Updates of one queue that may be under way before it is full. */
  mostOfOne: number;
}

/**
 * Handlers that have begun and not ended. Few begin together; one that is slow, or waits behind an earlier one of
 * one of its queues, keeps nobody else out.
 */
export class UnderWay {
  readonly #clock: Clock;
  readonly #limits: UnderWayLimits;
  readonly #ofQueue = new Map<string, number>();
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

  /** True when the next update of this queue would only wait behind hundreds. */
  isFull(queue: string): boolean {
    return (this.#ofQueue.get(queue) ?? 0) >= this.#limits.mostOfOne;
  }

  /** Resolves when all have ended, or when time is over. */
  async ended(withinMs: number): Promise<void> {
    const deadline = this.#clock.now() + withinMs;
    while (this.#size > 0 && this.#clock.now() < deadline) await sleep(this.#clock, 20);
  }

  /**
   * Resolves when the handler has ended, or keeps nobody else out any more.
   * @param queues in each of which it waits for those before it
   * @param work never rejects
   */
  add(queues: readonly string[], work: Promise<void>): Promise<void> {
    const isBehind = queues.some((queue) => this.#ofQueue.has(queue));
    for (const queue of queues) this.#ofQueue.set(queue, (this.#ofQueue.get(queue) ?? 0) + 1);
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
      if (isBehind) wait();
      const end = () => {
        cancel();
        this.#size -= 1;
        if (isWaiting) this.#waiting -= 1;
        for (const queue of queues) this.#leave(queue);
        resolve();
      };
      work.then(end, end);
    });
  }

  #leave(queue: string): void {
    const left = (this.#ofQueue.get(queue) ?? 1) - 1;
    if (left > 0) this.#ofQueue.set(queue, left);
    else this.#ofQueue.delete(queue);
  }
}
