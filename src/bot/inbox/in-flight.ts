import { type Clock, sleep } from "../../platform/clock.js";

export interface UnderWayLimits {
  /** In ms. A slower handler is waiting for the network and no longer blocks others. */
  slowMs: number;
  /** Slow or queued handlers allowed before they block others. */
  mostWaiting: number;
  /** Updates in progress at which a queue is full. */
  mostOfOne: number;
}

/** Tracks running handlers. Slow and queued handlers do not block others from starting. */
export class InFlight {
  readonly #clock: Clock;
  readonly #limits: UnderWayLimits;
  readonly #ofQueue = new Map<string, number>();
  #size = 0;
  #waiting = 0;

  constructor(clock: Clock, limits: UnderWayLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Includes queued handlers. */
  get size(): number {
    return this.#size;
  }

  isFull(queue: string): boolean {
    return (this.#ofQueue.get(queue) ?? 0) >= this.#limits.mostOfOne;
  }

  /** Resolves when all handlers have ended or the time is over. */
  async ended(withinMs: number): Promise<void> {
    const deadline = this.#clock.now() + withinMs;
    while (this.#size > 0 && this.#clock.now() < deadline) await sleep(this.#clock, 20);
  }

  /** Resolves when `work`, which must not reject, has ended or no longer blocks others. */
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
