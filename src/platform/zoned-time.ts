import { type Integer, integer } from "./integer.js";

/** A time of each day in a time zone. */
export interface DailyTime {
  hour: number;
  minute: number;
  /** Name of the IANA database, such as `Europe/Moscow`. */
  zone: string;
}

/** Reads `09:00` (UTC) or `09:00 Europe/Moscow`; undefined for anything else. */
export function parseDailyTime(given: string): DailyTime | undefined {
  const [, hour, minute, zone = "UTC"] =
    /^([01]\d|2[0-3]):([0-5]\d)(?:\s+([\w/+-]+))?$/.exec(given.trim()) ?? [];
  if (hour === undefined || !isZone(zone)) return undefined;
  return { hour: Number(hour), minute: Number(minute), zone };
}

function isZone(zone: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat("en", { timeZone: zone }));
  } catch {
    return false;
  }
}

/** Returns the day in the zone as `2026-11-24`. @param now in ms since the epoch */
export function dayInZone(now: number, zone: string): string {
  return inZone(now, zone).toPlainDate().toString();
}

/** Returns when the time is on a day such as `2026-11-24`, in ms since the epoch. */
export function instantOf(day: string, { hour, minute, zone }: DailyTime): number {
  const time = Temporal.PlainDate.from(day).toPlainDateTime({ hour, minute });
  return time.toZonedDateTime(zone, { disambiguation: "later" }).epochMilliseconds;
}

/** Returns when the day of a moment began in the zone, in ms since the epoch. */
export function dayStart(now: number, zone: string): number {
  return inZone(now, zone).startOfDay().epochMilliseconds;
}

/** Returns the day that many days before or after. */
export function dayAfter(day: string, days: number): string {
  return Temporal.PlainDate.from(day).add({ days }).toString();
}

function inZone(at: number, zone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone);
}

/** Writes a moment as ISO 8601, in UTC. */
export function isoTime(ms: number): string;
export function isoTime(ms: number | null): string | null;
export function isoTime(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

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

/**
 * Reads a day such as `2026-12-31` as its begin in UTC, in ms since the epoch. Undefined for a day that no calendar has:
 * `Date.parse` takes 2027-02-30 for the second of March.
 */
export function parseDay(text: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return undefined;
  const start = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(start) && new Date(start).toISOString().startsWith(text) ? start : undefined;
}
