import { type Integer, integer } from "./integer.js";

/** Returns the calendar month in UTC, such as `2026-11`. */
export function monthOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 7);
}

/** Returns the first moment of the month in UTC, in ms since the epoch. */
export function monthAt(ms: number): Integer {
  const date = new Date(ms);
  return integer(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1));
}

/** Returns the first moment of the following month in UTC, in ms since the epoch. */
export function nextMonthAt(ms: number): number {
  const date = new Date(ms);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}
