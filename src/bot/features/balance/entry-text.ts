import { readPublicTitle } from "../../../contract/public-title.js";
import type { MonthSums, StatementEntry, StatementOrder } from "../../../ports/statement.js";
import { previewMark } from "../../card/layout.js";
import { cutText, escapeHtml } from "../../texts/html.js";
import { localTimeHtml } from "../../texts/moment.js";
import type { Language } from "../../texts/texts.js";

const TITLE_MAX = 60;
const NOTE_MAX = 80;

/** Composes one line of a statement as HTML: when, what, the sum and what became of it. */
export function entryHtml(entry: StatementEntry, language: Language): string {
  const parts = [entryWords(entry, language), signedMoney(entry.amountKopecks, language)];
  const outcome = outcomeWords(entry, language);
  if (outcome !== undefined) parts.push(outcome);
  return `${localTimeHtml(entry.at, language)}\n${escapeHtml(parts.join(" · "))}`;
}

/** Says what an entry was for, as plain text. */
export function entryWords({ kind, cause, note, order }: StatementEntry, language: Language): string {
  const { t, has } = language;
  if (kind === "refund")
    return order ? t("entry-refund-of", { order: orderWords(order, language) }) : t("entry-refund");
  if (order) return orderWords(order, language);
  const ofCause = `entry-${kind}-${cause}`;
  if (cause !== null && has(ofCause)) return t(ofCause);
  const words = t(`entry-${kind}`);
  return note === null ? words : `${words}: ${cutText(note.replace(/\s+/gu, " "), NOTE_MAX)}`;
}

/** Says what became of a charged order. Undefined for one that was made, and for other entries. */
export function outcomeWords(
  { kind, amountKopecks, order }: StatementEntry,
  language: Language,
): string | undefined {
  if (kind !== "charge" || !order) return undefined;
  const { t, money } = language;
  if (order.returnedKopecks >= -amountKopecks) return t("entry-returned");
  if (order.returnedKopecks > 0) return t("entry-returned-part", { sum: money(order.returnedKopecks) });
  return order.isOpen ? t("entry-open") : undefined;
}

/** Formats a sum with its sign. */
export function signedMoney(kopecks: number, { money }: Language): string {
  return `${kopecks < 0 ? "−" : "+"}${money(Math.abs(kopecks))}`;
}

/** Sums a month up, as plain text. Undefined for a month without entries. */
export function monthWords(sums: MonthSums, now: number, { t, money, code }: Language): string | undefined {
  const kinds = ["charge", "refund", "credit", "debit"] as const;
  const parts = kinds
    .filter((kind) => sums[kind] !== 0)
    .map((kind) => t(`month-${kind}`, { sum: money(Math.abs(sums[kind])) }));
  if (parts.length === 0) return undefined;
  const month = new Intl.DateTimeFormat(code, { month: "long", year: "numeric", timeZone: "UTC" }).format(
    now,
  );
  const capitalized = month.charAt(0).toLocaleUpperCase(code) + month.slice(1);
  return t("month-sums", { month: capitalized, sums: parts.join(", ") });
}

function orderWords(order: StatementOrder, language: Language): string {
  const { type, durationSec, count, isByApi } = order;
  const { t, number } = language;
  const { title, isPreview } = readPublicTitle(order.title);
  const name = cutText(title, TITLE_MAX);
  const parts = [isPreview ? `${name} ${previewMark(type, language)}` : name];
  if (durationSec !== null) parts.push(t("amount-duration-sec", { value: number(durationSec) }));
  const words = parts.join(", ");
  return [words, ...(count > 1 ? [`×${count}`] : []), ...(isByApi ? ["(API)"] : [])].join(" ");
}
