/** Cancels a timer. Later and repeated calls do nothing. */
export type CancelTimer = () => void;

/** The sandbox's source of time: a test may give one that it moves by hand. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Calls `fire` once after `delayMs`. A pending timer does not keep the process alive. */
  after(delayMs: number, fire: () => void): CancelTimer;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after(delayMs, fire) {
    const timer = setTimeout(fire, delayMs).unref();
    return () => clearTimeout(timer);
  },
};
