import type { Clock } from "../../platform/clock.js";
import { Slots } from "../../platform/slots.js";

export interface InFlightLimits {
  /** Milliseconds after which a handler counts as slow: it waits for the network and no longer blocks others. */
  slowMs: number;
  /** Slow or queued handlers allowed before they block others. */
  mostWaiting: number;
  /** Updates in progress at which a queue is full. */
  mostOfOne: number;
}

/** Tracks running handlers. Slow and queued handlers do not block others from starting. */
export class InFlight {
  readonly #limits: InFlightLimits;
  /** Counts handlers without a limit: grammY's runner limits how many updates it passes at once. */
  readonly #slots: Slots;
  readonly #ofQueue = new Map<string, number>();

  constructor(clock: Clock, limits: InFlightLimits) {
    this.#limits = limits;
    const { slowMs: slowAfterMs, mostWaiting: slowMax } = limits;
    this.#slots = new Slots(clock, { size: Number.POSITIVE_INFINITY, slowAfterMs, slowMax });
  }

  get size(): number {
    return this.#slots.held;
  }

  isFull(queue: string): boolean {
    return (this.#ofQueue.get(queue) ?? 0) >= this.#limits.mostOfOne;
  }

  /** Resolves when all handlers have ended or the time is over. */
  ended(withinMs: number): Promise<void> {
    return this.#slots.idle(withinMs);
  }

  /** Resolves when `work`, which must not reject, has ended or no longer blocks others. */
  add(queues: readonly string[], work: Promise<void>): Promise<void> {
    const isBehind = queues.some((queue) => this.#ofQueue.has(queue));
    for (const queue of queues) this.#ofQueue.set(queue, (this.#ofQueue.get(queue) ?? 0) + 1);
    const slot = this.#slots.take();
    if (isBehind) slot.leave();
    const end = () => {
      for (const queue of queues) this.#leave(queue);
      slot.release();
    };
    work.then(end, end);
    return slot.left;
  }

  #leave(queue: string): void {
    const left = (this.#ofQueue.get(queue) ?? 1) - 1;
    if (left > 0) this.#ofQueue.set(queue, left);
    else this.#ofQueue.delete(queue);
  }
}
