import { type Clock, systemClock } from "../../src/platform/clock.js";
import { integer } from "../../src/platform/integer.js";

/** The system's time, as if `aheadMs` more had passed. Its timers do not notice. */
export function aheadClock(aheadMs: () => number): Clock {
  return {
    now: () => integer(systemClock.now() + aheadMs()),
    monotonic: () => systemClock.monotonic() + aheadMs(),
    after: systemClock.after,
  };
}

/** The time that a test tells, with timers that never fire. */
export function toldClock(now: () => number): Clock {
  return { now: () => integer(now()), monotonic: now, after: () => () => {} };
}
