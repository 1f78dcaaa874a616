import type { TelegramUser } from "@gramio/types";
import type { Words } from "./words/words.js";

const clockFormat = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });

/** Hours and minutes of a Unix time in seconds. */
export function clockTime(seconds: number): string {
  return clockFormat.format(seconds * 1000);
}

/** Date and time to the second, for tooltips. */
export function fullTime(seconds: number, { locale }: Words): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: "long", timeStyle: "medium" }).format(seconds * 1000);
}

/** Name of a day as a separator shows it. */
export function dayName(seconds: number, nowMs: number, words: Words): string {
  const day = new Date(seconds * 1000);
  const today = new Date(nowMs);
  const yesterday = new Date(nowMs);
  yesterday.setDate(today.getDate() - 1);
  if (day.toDateString() === today.toDateString()) return words.today;
  if (day.toDateString() === yesterday.toDateString()) return words.yesterday;
  const isThisYear = day.getFullYear() === today.getFullYear();
  const form: Intl.DateTimeFormatOptions = { day: "numeric", month: "long" };
  if (!isThisYear) form.year = "numeric";
  return new Intl.DateTimeFormat(words.locale, form).format(day);
}

/** A file's size in the largest unit that keeps it above one. */
export function byteSize(bytes: number | undefined, { locale, byteUnits }: Words): string {
  if (bytes === undefined) return "";
  if (bytes < 1024) return `${bytes} ${byteUnits.b}`;
  if (bytes < 1024 * 1024) return `${Math.round(bytes / 1024)} ${byteUnits.kb}`;
  const digits = { minimumFractionDigits: 1, maximumFractionDigits: 1 };
  return `${(bytes / 1024 / 1024).toLocaleString(locale, digits)} ${byteUnits.mb}`;
}

/** Minutes and seconds of a length in seconds. */
export function playTime(seconds: number): string {
  const whole = Math.max(0, Math.floor(Number.isFinite(seconds) ? seconds : 0));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

/** First and last name. */
export function fullName(user: TelegramUser): string {
  return [user.first_name, user.last_name].filter(Boolean).join(" ");
}

/** Up to two letters for an avatar. */
export function initials(name: string): string {
  const words = name.split(/\s+/u).filter((word) => /^[\p{L}\p{N}]/u.test(word));
  return words
    .slice(0, 2)
    .map((word) => String.fromCodePoint(word.codePointAt(0) ?? 63).toUpperCase())
    .join("");
}

/** True for one to three emoji and nothing else: they are shown large. */
export function isEmojiOnly(text: string): boolean {
  const graphemes = [...new Intl.Segmenter("en", { granularity: "grapheme" }).segment(text.trim())];
  return (
    graphemes.length > 0 &&
    graphemes.length <= 3 &&
    graphemes.every(({ segment }) => /\p{Extended_Pictographic}|\p{Regional_Indicator}/u.test(segment))
  );
}
