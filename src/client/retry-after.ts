import { DAY_MS } from "../platform/units.js";

/** `Retry-After` in ms, as seconds or as an HTTP date; at most a day. Undefined when it is neither. */
export function retryAfterMs(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  const waitMs = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isNaN(waitMs) ? undefined : Math.min(Math.max(0, waitMs), DAY_MS);
}
