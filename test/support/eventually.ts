/** How long a condition may take, in ms: below what a whole test may, so that its failure says what was awaited. */
const DEADLINE_MS = 15_000;

/**
 * Waits, turn by turn of the event loop, until `check` gives something other than `undefined` or `false`.
 * For work of the operating system that announces nothing to the test.
 */
export async function eventually<T>(
  what: string,
  check: () => T | undefined | false | Promise<T | undefined | false>,
  deadlineMs = DEADLINE_MS,
): Promise<T> {
  const deadline = performance.now() + deadlineMs;
  for (;;) {
    const value = await check();
    if (value !== undefined && value !== false) return value;
    if (performance.now() > deadline) throw new Error(`never happened: ${what}`);
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}
