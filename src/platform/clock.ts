import type { Integer } from "./integer.js";

/** A span of time in ms since the epoch; `until` is no longer part of it. */
export interface Period {
  from: number;
  until: number;
}

/** Cancels a timer. Later and repeated calls do nothing. */
export type CancelTimer = () => void;

/** Tells the time; tests move it by hand. */
export interface Clock {
  /** Milliseconds since the Unix epoch, for what is stored or shown. The system clock may be set back. */
  now(): Integer;
  /** Milliseconds since an arbitrary moment, for what lives in memory. Never goes back. */
  monotonic(): number;
  /** Calls `fire` once after `delayMs`. A pending timer does not keep the process alive. */
  after(delayMs: number, fire: () => void): CancelTimer;
}

/** Longest delay of a timer: Node fires a longer one at once. */
const TIMER_MAX_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now() as Integer,
  monotonic: () => performance.now(),
  after(delayMs, fire) {
    let timer: NodeJS.Timeout;
    const arm = (leftMs: number) => {
      const stepMs = Math.min(leftMs, TIMER_MAX_MS);
      timer = setTimeout(() => (stepMs < leftMs ? arm(leftMs - stepMs) : fire()), stepMs);
      timer.unref();
    };
    arm(delayMs);
    return () => clearTimeout(timer);
  },
};

/** Returns the time since a stored moment: 0 for one of the future, stored before the clock was set back. */
export function ageMs(since: number, now: number): number {
  return Math.max(0, now - since);
}

/** Returns the time until a stored moment, which a clock that was set back leaves further ahead than `mostMs`. */
export function leftMs(until: number, now: number, mostMs: number): number {
  return Math.min(Math.max(0, until - now), mostMs);
}

/** Resolves after `delayMs`, or at once when one of `signals` aborts. Never rejects. */
export function sleep(
  clock: Clock,
  delayMs: number,
  ...signals: readonly (AbortSignal | undefined)[]
): Promise<void> {
  return new Promise((resolve) => {
    if (signals.some((signal) => signal?.aborted)) return resolve();
    const finish = () => {
      cancel();
      for (const signal of signals) signal?.removeEventListener("abort", finish);
      resolve();
    };
    const cancel = clock.after(delayMs, finish);
    for (const signal of signals) signal?.addEventListener("abort", finish, { once: true });
  });
}

/** Resolves to undefined when the work does not end in time. It goes on then. */
export function within<T>(clock: Clock, limitMs: number, work: Promise<T>): Promise<T | undefined> {
  const waiting = new AbortController();
  const late = sleep(clock, limitMs, waiting.signal).then(() => undefined);
  return Promise.race([work, late]).finally(() => waiting.abort());
}

/** Passes exceptions of timers to `report`, so that they do not end the process. */
export function guardedClock(clock: Clock, report: (error: unknown) => void): Clock {
  return {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    after: (delayMs, fire) =>
      clock.after(delayMs, () => {
        try {
          fire();
        } catch (error) {
          report(error);
        }
      }),
  };
}
