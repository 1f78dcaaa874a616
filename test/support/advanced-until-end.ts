import { eventually } from "./eventually.js";
import type { ManualClock } from "./manual-clock.js";

/** Moves time on until work has ended that takes true time as well, as files and sockets do. */
export async function advancedUntilEnd<T>(clock: ManualClock, work: Promise<T>, stepMs = 100): Promise<T> {
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  work.then(over, over);
  await eventually("the work ends", async () => {
    if (!isOver) await clock.advance(stepMs);
    return isOver;
  });
  return work;
}
