import { escapeHtml } from "./html.js";
import type { Language } from "./texts.js";

const DAY = { dateStyle: "medium", timeZone: "UTC" } as const;
const MINUTE = { ...DAY, timeStyle: "short" } as const;

/** Kept by language and style: to make one takes longer than to format a whole page of times. */
const formats = new Map<string, Intl.DateTimeFormat>();

/** Formats a moment in UTC, such as `24 Nov 2026, 14:05 UTC`. */
export function utcText(ms: number, { code }: Language): string {
  return `${formatOf(code, MINUTE).format(ms)} UTC`;
}

/** Formats the day of a moment in UTC, such as `24 Nov 2026`. */
export function utcDay(ms: number, { code }: Language): string {
  return formatOf(code, DAY).format(ms);
}

/** Makes the formats of times, of which the first of a process takes some ten milliseconds. */
export function prepareMoments(languages: readonly Language[]): void {
  for (const language of languages) {
    utcText(0, language);
    utcDay(0, language);
  }
}

/** Returns HTML that an app shows as date and time in the zone of its reader. Older apps show UTC. */
export function localTimeHtml(ms: number, language: Language): string {
  return `<tg-time unix="${Math.floor(ms / 1000)}" format="dt">${escapeHtml(utcText(ms, language))}</tg-time>`;
}

/** The same of a day alone. */
export function localDayHtml(ms: number, language: Language): string {
  return `<tg-time unix="${Math.floor(ms / 1000)}" format="d">${escapeHtml(utcDay(ms, language))}</tg-time>`;
}

function formatOf(code: string, style: typeof DAY | typeof MINUTE): Intl.DateTimeFormat {
  const key = `${code}:${style === MINUTE}`;
  const known = formats.get(key);
  if (known) return known;
  const format = new Intl.DateTimeFormat(code, style);
  formats.set(key, format);
  return format;
}
