import { type Clock, sleep } from "./clock.js";

export interface SlotsLimits {
  size: number;
  /** Time in ms after which a holder waits for the network: it leaves its slot to others. Default: never. */
  slowAfterMs?: number;
  /** Limits holders without a slot. A further one keeps its slot until one of these ends. */
  slowMax?: number;
}

export interface Slot {
  readonly left: Promise<void>;
  /** Goes on without the slot, as soon as `slowMax` allows it. */
  leave(): void;
  release(): void;
}

export class Slots {
  readonly #clock: Clock;
  readonly #limits: SlotsLimits;
  readonly #onFree: () => void;
  readonly #waiting = new Set<(slot: Slot) => void>();
  readonly #overdue = new Set<() => void>();
  #taken = 0;
  #slow = 0;
  #whenIdle: (() => void)[] = [];

  constructor(clock: Clock, limits: SlotsLimits, onFree: () => void = () => {}) {
    this.#clock = clock;
    this.#limits = limits;
    this.#onFree = onFree;
  }

  get isFree(): boolean {
    return this.#taken < this.#limits.size;
  }

  /** Holders, those without a slot included. */
  get held(): number {
    return this.#taken + this.#slow;
  }

  get slow(): number {
    return this.#slow;
  }

  /** Takes a slot without waiting; check `isFree` first. */
  take(): Slot {
    const { slowAfterMs, slowMax = Number.POSITIVE_INFINITY } = this.#limits;
    let state: "holds" | "left" | "ended" = "holds";
    let resolveLeft = () => {};
    const left = new Promise<void>((resolve) => {
      resolveLeft = resolve;
    });
    const leave = () => {
      if (state !== "holds") return;
      if (this.#slow >= slowMax) return void this.#overdue.add(leave);
      state = "left";
      this.#taken -= 1;
      this.#slow += 1;
      this.#overdue.delete(leave);
      resolveLeft();
      this.#offer();
    };
    const cancel = slowAfterMs === undefined ? () => {} : this.#clock.after(slowAfterMs, leave);
    const release = () => {
      if (state === "ended") return;
      cancel();
      this.#overdue.delete(leave);
      if (state === "left") this.#slow -= 1;
      else this.#taken -= 1;
      state = "ended";
      resolveLeft();
      this.#afterEnd();
    };
    this.#taken += 1;
    return { left, leave, release };
  }

  /** Waits for a slot, in the order of the calls. Rejects with the signal's reason when it aborts first. */
  async acquire(signal: AbortSignal): Promise<Slot> {
    signal.throwIfAborted();
    if (this.isFree) return this.take();
    return new Promise((resolve, reject) => {
      const abort = () => {
        this.#waiting.delete(give);
        reject(signal.reason);
      };
      const give = (slot: Slot) => {
        signal.removeEventListener("abort", abort);
        resolve(slot);
      };
      this.#waiting.add(give);
      signal.addEventListener("abort", abort, { once: true });
    });
  }

  /** Resolves when no holder is left, or after `withinMs`. */
  async idle(withinMs: number): Promise<void> {
    if (this.held === 0) return;
    const patience = new AbortController();
    const idle = new Promise<void>((resolve) => this.#whenIdle.push(resolve));
    await Promise.race([idle, sleep(this.#clock, withinMs, patience.signal)]);
    patience.abort();
  }

  #afterEnd(): void {
    const [overdue] = this.#overdue;
    overdue?.();
    if (this.held === 0) for (const resolve of this.#whenIdle.splice(0)) resolve();
    this.#offer();
  }

  #offer(): void {
    for (const give of this.#waiting) {
      if (!this.isFree) return;
      this.#waiting.delete(give);
      give(this.take());
    }
    if (this.isFree) this.#onFree();
  }
}
