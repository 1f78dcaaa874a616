import { type CancelTimer, type Clock, sleep } from "./clock.js";

/** Growth of the wait between tries, in ms. */
export interface BackOff {
  firstMs: number;
  maxMs: number;
}

/** Returns the wait in ms after `attempt` (from 1) failures: doubles up to `maxMs`, with jitter in the upper half. */
export function backOffMs(
  attempt: number,
  { firstMs, maxMs }: BackOff,
  random: () => number = Math.random,
): number {
  const full = Math.min(maxMs, firstMs * 2 ** Math.min(attempt - 1, 30));
  return Math.round(full / 2 + random() * (full / 2));
}

interface RetryOptions {
  clock: Clock;
  backOff: BackOff;
  /** Called for each failed try that will be repeated, counted from 1. */
  onFailure: (error: unknown, attempt: number) => void;
  /** Ends the wait; one last try follows. */
  signal?: AbortSignal;
  maxTries?: number;
  until?: (error: unknown) => boolean;
  /** Wait after an error, in ms; `undefined` for the back-off. Its exception ends the tries. */
  pauseFor?: (error: unknown, attempt: number) => number | undefined;
}

export async function retry<T>(options: RetryOptions, work: () => Promise<T>): Promise<T> {
  const { clock, backOff, onFailure, signal, maxTries, until, pauseFor } = options;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (signal?.aborted || attempt === maxTries || until?.(error)) throw error;
      onFailure(error, attempt);
      await sleep(clock, pauseFor?.(error, attempt) ?? backOffMs(attempt, backOff), signal);
    }
  }
}

/** Calls `work` now and every `everyMs`, even after it fails. Returns a function that ends it. */
export function repeat(clock: Clock, everyMs: number, work: () => void): CancelTimer {
  let cancel: CancelTimer = () => {};
  const run = () => {
    cancel = clock.after(everyMs, run);
    work();
  };
  run();
  return () => cancel();
}

interface RecurringWork {
  clock: Clock;
  /** Pause after the work has ended, asked for after each run where it is a function. */
  everyMs: number | (() => number);
  /** Begins to call `wake` where more than time calls for the work. Returns what ends that. */
  wokenBy?: (wake: () => void) => () => void;
  /** Its signal aborts at the stop. */
  work: (signal: AbortSignal) => Promise<void>;
  /** Asked after a run that has not failed: while only a wake calls for more, no time does. By default time always does. */
  isIdle?: () => boolean;
  /** Called for each failure of a run that was not stopped. */
  onFailure: (error: unknown) => void;
}

/** Does work at the start, then at a pace and when it is woken, once at a time. */
export class Recurring {
  #stopping = new AbortController();
  #cancel: CancelTimer = () => {};
  #unsubscribe: () => void = () => {};
  #running: Promise<void> | undefined;
  #isWoken = false;
  #isStarted = false;

  constructor(private readonly of: RecurringWork) {}

  start(): void {
    if (this.#stopping.signal.aborted) this.#stopping = new AbortController();
    this.#isStarted = true;
    this.#unsubscribe = this.of.wokenBy?.(() => void this.wake()) ?? (() => {});
    void this.wake();
  }

  /** Works now, also before the start, or once more where the work is under way. Resolves when that has ended; never rejects. */
  wake(): Promise<void> {
    if (this.#stopping.signal.aborted) return Promise.resolve();
    this.#isWoken = true;
    this.#cancel();
    this.#running ??= this.#run(this.#stopping.signal);
    return this.#running;
  }

  /** Waits for the work that is under way, whose signal is aborted. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#unsubscribe();
    this.#cancel();
    await this.#running;
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { clock, everyMs, work, isIdle, onFailure } = this.of;
    let isLeft = true;
    while (this.#isWoken && !signal.aborted) {
      this.#isWoken = false;
      try {
        await work(signal);
        isLeft = !isIdle?.();
      } catch (error) {
        isLeft = true;
        if (!signal.aborted) onFailure(error);
      }
    }
    this.#running = undefined;
    if (isLeft && this.#isStarted && !signal.aborted)
      this.#cancel = clock.after(typeof everyMs === "number" ? everyMs : everyMs(), () => void this.wake());
  }
}

/** Counts letters that are wrong, missing, added or swapped with their neighbour (optimal string alignment). */
export function slipsBetween(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= a.length; row += 1) {
    const line = [row];
    rows.push(line);
    for (let column = 1; column <= b.length; column += 1) {
      const wrong = a[row - 1] === b[column - 1] ? 0 : 1;
      const choices = [
        at(rows, row - 1, column) + 1,
        at(rows, row, column - 1) + 1,
        at(rows, row - 1, column - 1) + wrong,
      ];
      const isSwapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (row > 1 && column > 1 && isSwapped) choices.push(at(rows, row - 2, column - 2) + 1);
      line.push(Math.min(...choices));
    }
  }
  return at(rows, a.length, b.length);
}

function at(rows: readonly number[][], row: number, column: number): number {
  return rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
}
