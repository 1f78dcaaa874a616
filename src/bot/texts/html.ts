import { isBlank } from "../../contract/request.js";

const WORD_SHOWN = 60;

const SPECIAL = /[&<>"]/g;
const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
/** Matches C0 and C1 controls except tab and newline, bidirectional controls and the byte order mark. */
const INVISIBLE = /(?![\t\n])[\p{Cc}\u202a-\u202e\u2066-\u2069\ufeff]/gu;

export function escapeHtml(text: string): string {
  return text.replace(SPECIAL, (character) => ENTITIES[character] ?? character);
}

/** Returns well-formed, trimmed text without invisible controls. Empty when nothing is visible. */
export function cleanText(text: string): string {
  if (isBlank(text)) return "";
  return Buffer.from(text, "utf8").toString("utf8").replace(/\r\n?/g, "\n").replace(INVISIBLE, "").trim();
}

/** Counts Unicode code points, the contract's unit of length. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _character of text) count += 1;
  return count;
}

/** Cuts a text at `max` UTF-16 units. Never cuts inside a grapheme cluster: Telegram refuses half a surrogate pair. */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  return `${keptOf(segmentsOf(text), max - 1).trimEnd()}…`;
}

/** Cuts what somebody wrote, to be quoted in an answer. */
export function quotedWord(word: string): string {
  return cutText(word, WORD_SHOWN);
}

/** Cuts the middle of a text as `cutText` cuts its end. Its last `tail` units stay. */
export function cutMiddle(text: string, max: number, tail: number): string {
  if (text.length <= max) return text;
  const segments = [...segmentsOf(text)];
  const end = keptOf(segments.toReversed(), tail, (kept, segment) => segment + kept);
  return `${keptOf(segments, max - 1 - end.length)}…${end}`;
}

function* segmentsOf(text: string): Generator<string> {
  for (const { segment } of new Intl.Segmenter().segment(text)) yield segment;
}

function keptOf(
  segments: Iterable<string>,
  max: number,
  join = (kept: string, segment: string) => kept + segment,
): string {
  let kept = "";
  for (const segment of segments) {
    if (kept.length + segment.length > max) break;
    kept = join(kept, segment);
  }
  return kept;
}

/** The length from which on a quote is collapsed. */
const QUOTE_OPEN = 160;
const LINES_OPEN = 4;

export function isLong(text: string): boolean {
  return text.length > QUOTE_OPEN || text.split("\n").length > LINES_OPEN;
}

/** Returns HTML: a quote, which is collapsed where the text is long. */
export function blockquote(text: string): string {
  return `<blockquote${isLong(text) ? " expandable" : ""}>${escapeHtml(text)}</blockquote>`;
}
