import { type Clock, sleep } from "../../platform/clock.js";

/** Handlers that have begun and not ended. Few begin together, yet none that waits for long keeps others out. */
export class UnderWay {
  readonly #clock: Clock;
  readonly #slowMs: number;
  readonly #mostSlow: number;
  #size = 0;
  #slow = 0;

  /**
   * @param limits a handler that takes longer than `slowMs` counts as slow, as long as not `mostSlow` others do
   */
  constructor(clock: Clock, limits: { slowMs: number; mostSlow: number }) {
    this.#clock = clock;
    this.#slowMs = limits.slowMs;
    this.#mostSlow = limits.mostSlow;
  }

  /** Handlers that have not ended, slow ones too. */
  get size(): number {
    return this.#size;
  }

  /** Resolves when all have ended, or when time is over. */
  async ended(withinMs: number): Promise<void> {
    const deadline = this.#clock.now() + withinMs;
    while (this.#size > 0 && this.#clock.now() < deadline) await sleep(this.#clock, 20);
  }

  /** Resolves when the handler has ended or turned out to be slow. `work` never rejects. */
  add(work: Promise<void>): Promise<void> {
    this.#size += 1;
    return new Promise((resolve) => {
      let isSlow = false;
      const cancel = this.#clock.after(this.#slowMs, () => {
        if (this.#slow >= this.#mostSlow) return;
        isSlow = true;
        this.#slow += 1;
        resolve();
      });
      const end = () => {
        cancel();
        this.#size -= 1;
        if (isSlow) this.#slow -= 1;
        resolve();
      };
      work.then(end, end);
    });
  }
}
