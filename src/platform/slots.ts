import { setMaxListeners } from "node:events";
import { type Clock, within } from "./clock.js";

interface Waiting {
  account: number;
  give: (release: () => void) => void;
}

/**
 * Limits concurrency. Accounts take turns in the order of their ids, each with its oldest work first. While several
 * wait, one of them holds at most `size - 1` slots (at least 1), so that another is served when the next work ends.
 */
export class FairSlots {
  readonly #waiting: Waiting[] = [];
  readonly #held = new Map<number, number>();
  #taken = 0;
  #lastAccount = 0;

  constructor(private readonly size: number) {}

  /** Resolves with what gives the slot back. Rejects with the signal's reason when it aborts first. */
  acquire(account: number, signal: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const abort = () => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        reject(signal.reason);
      };
      const waiting: Waiting = {
        account,
        give(release) {
          signal.removeEventListener("abort", abort);
          resolve(release);
        },
      };
      signal.addEventListener("abort", abort, { once: true });
      this.#waiting.push(waiting);
      this.#offer();
    });
  }

  #offer(): void {
    while (this.#taken < this.size) {
      const next = this.#next();
      if (!next) return;
      this.#waiting.splice(this.#waiting.indexOf(next), 1);
      this.#lastAccount = next.account;
      this.#change(next.account, 1);
      let isReleased = false;
      next.give(() => {
        if (isReleased) return;
        isReleased = true;
        this.#change(next.account, -1);
        this.#offer();
      });
    }
  }

  #next(): Waiting | undefined {
    const accounts = [...new Set(this.#waiting.map(({ account }) => account))].sort((a, b) => a - b);
    const later = accounts.filter((account) => account > this.#lastAccount);
    const turns = [...later, ...accounts.filter((account) => account <= this.#lastAccount)];
    const limit = Math.max(1, this.size - 1);
    const account = turns.find((one) => (this.#held.get(one) ?? 0) < limit) ?? turns[0];
    return this.#waiting.find((waiting) => waiting.account === account);
  }

  #change(account: number, by: 1 | -1): void {
    const held = (this.#held.get(account) ?? 0) + by;
    this.#taken += by;
    if (held === 0) this.#held.delete(account);
    else this.#held.set(account, held);
  }
}

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
  readonly #waiting = new Set<(slot: Slot) => void>();
  readonly #overdue = new Set<() => void>();
  #taken = 0;
  #slow = 0;
  #whenIdle: (() => void)[] = [];

  constructor(
    private readonly clock: Clock,
    private readonly limits: SlotsLimits,
    private readonly onFree: () => void = () => {},
  ) {}

  get isFree(): boolean {
    return this.#taken < this.limits.size;
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
    const { slowAfterMs, slowMax = Number.POSITIVE_INFINITY } = this.limits;
    let state: "holds" | "left" | "ended" = "holds";
    const { promise: left, resolve: resolveLeft } = Promise.withResolvers<void>();
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
    const cancel = slowAfterMs === undefined ? () => {} : this.clock.after(slowAfterMs, leave);
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
    const idle = new Promise<void>((resolve) => this.#whenIdle.push(resolve));
    await within(this.clock, withinMs, idle);
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
    if (this.isFree) this.onFree();
  }
}

/** Maps all at once. The first failure aborts the signal of the others, and is thrown when all have ended. */
export async function mapTogether<T, R>(
  items: readonly T[],
  signal: AbortSignal,
  map: (item: T, index: number, signal: AbortSignal) => Promise<R>,
): Promise<R[]> {
  const failure = new AbortController();
  const ending = AbortSignal.any([signal, failure.signal]);
  setMaxListeners(0, ending);
  const mapping = items.map(async (item, index) => {
    try {
      return await map(item, index, ending);
    } catch (error) {
      failure.abort(error);
      throw error;
    }
  });
  await Promise.allSettled(mapping);
  failure.signal.throwIfAborted();
  return Promise.all(mapping);
}

/** Maps in order, with at most `limit` calls at once. A failure starts no further calls, and is thrown at the end. */
export async function mapAtOnce<T, R>(
  limit: number,
  items: readonly T[],
  map: (item: T) => Promise<R>,
): Promise<R[]> {
  const mapped: R[] = [];
  const rest = items.entries();
  let failure: { error: unknown } | undefined;
  const work = async () => {
    for (const [index, item] of rest) {
      try {
        mapped[index] = await map(item);
      } catch (error) {
        failure ??= { error };
      }
      if (failure) return;
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, work));
  if (failure) throw failure.error;
  return mapped;
}
