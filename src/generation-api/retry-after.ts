import { DAY_MS } from "../platform/units.js";

/** Matches dates, which begin with the day. `Date.parse` takes more, such as "-5". */
const HTTP_DATE = /^[A-Z][a-z]{2,8}, /;

/** Reads `Retry-After` in ms, as seconds or as an HTTP date; at most a day. Undefined when it is over. */
export function retryAfterMs(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d+$/.test(value)) return Math.min(Number(value) * 1000, DAY_MS);
  const waitMs = HTTP_DATE.test(value) ? Date.parse(value) - now : Number.NaN;
  return waitMs > 0 ? Math.min(waitMs, DAY_MS) : undefined;
}
