import { setTimeout as delay, setImmediate as nextTurn } from "node:timers/promises";

/** How long a condition may take, in ms: below what a whole test may, so that its failure says what was awaited. */
const DEADLINE_MS = 30_000;
/** What happens in this process takes fewer turns. */
const TURNS = 100;
/** Between two looks at another process, which needs the processor more than the test that waits for it. */
const PAUSE_MS = 10;

/**
 * Waits until `check` gives something other than `undefined` or `false`: some turns of the event loop, then at a pace.
 * For work of the operating system that announces nothing to the test.
 */
export async function eventually<T>(
  what: string,
  check: () => T | undefined | false | Promise<T | undefined | false>,
  deadlineMs = DEADLINE_MS,
): Promise<T> {
  const deadline = performance.now() + deadlineMs;
  for (let turn = 0; ; turn += 1) {
    const value = await check();
    if (value !== undefined && value !== false) return value;
    if (performance.now() > deadline) throw new Error(`never happened: ${what}`);
    if (turn < TURNS) await nextTurn();
    else await delay(PAUSE_MS);
  }
}
