import { type CancelTimer, type Clock, sleep } from "./clock.js";

/** How the wait between two tries grows. All times in milliseconds. */
export interface BackOff {
  firstMs: number;
  maxMs: number;
}

/**
 * The wait before try number `attempt + 1`, where `attempt` tries (1 or more) have failed:
 * doubles from `firstMs` up to `maxMs`, with jitter over its upper half so that many
 * waiters do not come back at one moment.
 */
export function backOffMs(
  attempt: number,
  { firstMs, maxMs }: BackOff,
  random: () => number = Math.random,
): number {
  const full = Math.min(maxMs, firstMs * 2 ** Math.min(attempt - 1, 30));
  return Math.round(full / 2 + random() * (full / 2));
}

export interface UntilDoneOptions {
  clock: Clock;
  backOff: BackOff;
  /** Told of each try that failed, counted from 1. */
  onFailure: (error: unknown, attempt: number) => void;
  /** Ends the waiting. */
  signal?: AbortSignal;
}

/**
 * Repeats `work` until it succeeds, however long that takes.
 * @throws what the last try threw, once `signal` has aborted
 */
export async function untilDone<T>(options: UntilDoneOptions, work: () => Promise<T>): Promise<T> {
  const { clock, backOff, onFailure, signal } = options;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (signal?.aborted) throw error;
      onFailure(error, attempt);
      await sleep(clock, backOffMs(attempt, backOff), signal);
    }
  }
}

/** Calls `work` now and then every `everyMs`, also when it fails. Answers with the way to end it. */
export function repeat(clock: Clock, everyMs: number, work: () => void): CancelTimer {
  let cancel: CancelTimer = () => {};
  const run = () => {
    cancel = clock.after(everyMs, run);
    work();
  };
  run();
  return () => cancel();
}
