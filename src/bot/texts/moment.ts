import { escapeHtml } from "./html.js";
import type { Language } from "./texts.js";

/** Formats a moment in UTC, such as `24 Nov 2026, 14:05 UTC`. */
export function utcText(ms: number, { code }: Language): string {
  const format = new Intl.DateTimeFormat(code, { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" });
  return `${format.format(ms)} UTC`;
}

/** Formats the day of a moment in UTC, such as `24 Nov 2026`. */
export function utcDay(ms: number, { code }: Language): string {
  return new Intl.DateTimeFormat(code, { dateStyle: "medium", timeZone: "UTC" }).format(ms);
}

/** Returns HTML that an app shows as date and time in the zone of its reader. Older apps show UTC. */
export function localTimeHtml(ms: number, language: Language): string {
  return `<tg-time unix="${Math.floor(ms / 1000)}" format="dt">${escapeHtml(utcText(ms, language))}</tg-time>`;
}
