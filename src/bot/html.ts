const SPECIAL = /[&<>"]/g;
const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
/** C0 and C1 controls save tab and newline, and the marks that reorder text around them. */
const INVISIBLE = /(?![\t\n])[\p{Cc}\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/** Makes any text safe inside Telegram's HTML. */
export function escapeHtml(text: string): string {
  return text.replace(SPECIAL, (character) => ENTITIES[character] ?? character);
}

/** A letter, digit, sign or symbol: something that a person sees. */
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u;

/**
 * A person's text as it is kept: well-formed Unicode, no invisible controls, no blanks around it. Empty where
 * nothing would be seen.
 */
export function cleanText(text: string): string {
  if (!VISIBLE.test(text)) return "";
  return Buffer.from(text, "utf8").toString("utf8").replace(/\r\n?/g, "\n").replace(INVISIBLE, "").trim();
}

/** The number of Unicode code points, which is how the contract counts characters. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _character of text) count += 1;
  return count;
}

/**
 * Cuts a text to at most `max` UTF-16 units (how Telegram counts, and never fewer than code points),
 * with an ellipsis where something was cut, and never inside an emoji or another cluster.
 */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  let kept = "";
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (kept.length + segment.length > max - 1) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}
