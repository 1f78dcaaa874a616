/** How many turns of the event loop a condition may take; each lasts some microseconds at least. */
const TURNS_MAX = 200_000;

/**
 * Waits, turn by turn of the event loop, until `check` gives something other than `undefined` or `false`.
 * For work of the operating system that announces nothing to the test.
 */
export async function eventually<T>(
  what: string,
  check: () => T | undefined | false | Promise<T | undefined | false>,
): Promise<T> {
  for (let turn = 0; turn < TURNS_MAX; turn += 1) {
    const value = await check();
    if (value !== undefined && value !== false) return value;
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  throw new Error(`never happened: ${what}`);
}
