import type { Clock } from "../../src/platform/clock.js";
import { integer } from "../../src/platform/integer.js";
import { wholeFileOperations } from "./whole-file-operations.js";

/** A clock that a test moves by hand. */
export interface ManualClock extends Clock {
  /**
   * Moves time on: fires each timer that becomes due, in order, and lets what it started run.
   * @param settled waits for that. Default: a turn of events
   */
  advance(ms: number, settled?: () => Promise<void>): Promise<void>;
  /** Sets the wall clock, back where `ms` is negative. Timers and the monotonic reading do not notice. */
  step(ms: number): void;
  /** How many timers wait. */
  readonly pending: number;
}

interface Timer {
  due: number;
  fire: () => void;
}

/** @param start the first moment, in ms since the epoch */
export function createManualClock(start = Date.UTC(2026, 0, 1)): ManualClock {
  let now = 0;
  let epoch = start;
  // A set keeps the order of creation, which decides between timers of one moment.
  const timers = new Set<Timer>();

  const nextDue = (until: number): Timer | undefined => {
    let next: Timer | undefined;
    for (const timer of timers) if (timer.due <= until && (!next || timer.due < next.due)) next = timer;
    return next;
  };

  return {
    now: () => integer(epoch + now),
    monotonic: () => now,
    after(delayMs, fire) {
      const timer = { due: now + Math.max(0, delayMs), fire };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    async advance(ms, settled = turnOfEvents) {
      const until = now + ms;
      await settled();
      for (let timer = nextDue(until); timer; timer = nextDue(until)) {
        timers.delete(timer);
        now = Math.max(now, timer.due);
        timer.fire();
        await settled();
      }
      now = until;
    },
    step(ms) {
      epoch += ms;
    },
    get pending() {
      return timers.size;
    },
  };
}

/** Moves time on in steps until `check` holds. For what waits for nothing outside of this process. */
export async function advanceUntil(
  clock: ManualClock,
  what: string,
  check: () => boolean,
  { stepMs = 100, withinMs = 24 * 3_600_000 } = {},
): Promise<void> {
  const end = clock.monotonic() + withinMs;
  while (!check()) {
    if (clock.monotonic() >= end) throw new Error(`never happened: ${what}`);
    await clock.advance(stepMs);
  }
}

/** Work that ends by itself, as node names it. Timers and open sockets may wait for ever. */
const WORK = new Set(["Immediate", "FSReqCallback", "FSReqPromise", "CloseReq"]);

/** Lets promises, commits and file operations run until none is due. */
export async function turnOfEvents(): Promise<void> {
  do await new Promise<void>((resolve) => setImmediate(resolve));
  while (
    wholeFileOperations() > 0 ||
    process.getActiveResourcesInfo().some((resource) => WORK.has(resource))
  );
}
