import { parseDay } from "../../../platform/calendar-day.js";
import { DAY_MS, HOUR_MS } from "../../../platform/units.js";
import { cleanText, cutText } from "../../texts/html.js";

export interface BanTerms {
  reason: string | null;
  /** Milliseconds since the epoch; null: until it is lifted. */
  until: number | null;
}

/** The word is no date, or its time is over. */
export interface BanFault {
  wrongUntil: string;
}

const REASON_MAX = 200;
const UNITS: Readonly<Record<string, number>> = { h: HOUR_MS, d: DAY_MS, w: 7 * DAY_MS };

/** Reads `[reason] [until]`: the last word may be `12h`, `7d`, `2w` from when it was sent, or a date in UTC. */
export function readBanTerms(
  words: string,
  { sentAt, now }: { sentAt: number; now: number },
): BanTerms | BanFault {
  const all = words.trim().split(/\s+/).filter(Boolean);
  const last = all.at(-1) ?? "";
  const until = readUntil(last, sentAt);
  if (until !== undefined && !(until > now)) return { wrongUntil: last };
  const reason = until === undefined ? all : all.slice(0, -1);
  return { reason: cutText(cleanText(reason.join(" ")), REASON_MAX) || null, until: until ?? null };
}

/** Returns NaN for a date that no calendar has; undefined for other words. */
function readUntil(word: string, sentAt: number): number | undefined {
  const [, count, unit = ""] = /^(\d{1,4})([hdw])$/i.exec(word) ?? [];
  if (count !== undefined) return sentAt + Number(count) * (UNITS[unit.toLowerCase()] ?? 0);
  return /^\d{4}-\d\d-\d\d$/.test(word) ? (parseDay(word) ?? Number.NaN) : undefined;
}
