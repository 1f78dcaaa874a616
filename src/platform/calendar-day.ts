/**
 * Reads a day such as `2026-12-31` as its begin in UTC, in ms since the epoch. Undefined for a day that no calendar has:
 * `Date.parse` takes 2027-02-30 for the second of March.
 */
export function parseDay(text: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return undefined;
  const start = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(start) && new Date(start).toISOString().startsWith(text) ? start : undefined;
}
