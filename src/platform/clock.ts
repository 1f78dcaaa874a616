/** Cancels a timer. Later and repeated calls do nothing. */
export type CancelTimer = () => void;

/** The one source of time; tests move it by hand. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Calls `fire` once after `delayMs`. A pending timer does not keep the process alive. */
  after(delayMs: number, fire: () => void): CancelTimer;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after(delayMs, fire) {
    const timer = setTimeout(fire, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

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

/** A clock that passes exceptions of timers to `report`, so that they do not end the process. */
export function guardedClock(clock: Clock, report: (error: unknown) => void): Clock {
  return {
    now: () => clock.now(),
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
