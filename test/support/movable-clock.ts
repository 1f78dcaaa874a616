import { type Clock, systemClock } from "../../src/platform/clock.js";
import { integer } from "../../src/platform/integer.js";

/** Real time, which a test can put forward: what would have fired meanwhile fires then. */
export interface MovableClock extends Clock {
  skip(ms: number): void;
}

export function createMovableClock(): MovableClock {
  let skippedMs = 0;
  const timers = new Set<{ dueAt: number; arm: () => void }>();
  const now = () => integer(systemClock.now() + skippedMs);
  return {
    now,
    monotonic: () => systemClock.monotonic() + skippedMs,
    after(delayMs, fire) {
      let cancel = () => {};
      const timer = {
        dueAt: now() + delayMs,
        arm() {
          cancel();
          cancel = systemClock.after(Math.max(0, timer.dueAt - now()), () => {
            timers.delete(timer);
            fire();
          });
        },
      };
      timers.add(timer);
      timer.arm();
      return () => {
        timers.delete(timer);
        cancel();
      };
    },
    skip(ms) {
      skippedMs += ms;
      for (const { arm } of [...timers].sort((a, b) => a.dueAt - b.dueAt)) arm();
    },
  };
}
