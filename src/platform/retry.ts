/** How the wait between two tries grows. All times in milliseconds. */
export interface BackOff {
  firstMs: number;
  maxMs: number;
}

/**
 * The wait before try number `attempt + 1`, where `attempt` tries (1 or more) have failed:
 * doubles from `firstMs` up to `maxMs`, with jitter over its upper half so that many
 * waiters do not come back at one moment.
 */
export function backOffMs(
  attempt: number,
  { firstMs, maxMs }: BackOff,
  random: () => number = Math.random,
): number {
  const full = Math.min(maxMs, firstMs * 2 ** Math.min(attempt - 1, 30));
  return Math.round(full / 2 + random() * (full / 2));
}
