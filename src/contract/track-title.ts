/** Limits a title that is drawn from other texts, in code points. */
const DRAWN_MAX = 40;
/** Limits every title, in code points (section 8). */
export const TRACK_TITLE_MAX = 120;
/** Matches a line that only names a part of the song. */
const HEADER = /^\s*(?:\[[^\]]*\]|\p{L}[\p{L}\s\d-]{2,20}:)\s*$/u;

/**
 * Draws a track's title from the first words of a description or lyrics: at most 40 code points, cut between words,
 * up to a comma or the end of a sentence. @returns undefined for a text without words
 */
export function drawnTitle(text: string): string | undefined {
  const line = text.split(/\r?\n/).find((one) => /[\p{L}\p{N}]/u.test(one) && !HEADER.test(one)) ?? "";
  const plain = line
    .replace(/\[[^\]]*\]/gu, " ")
    .replace(/[\p{C}\s]+/gu, " ")
    .trim();
  const [phrase = plain] = plain.split(/(?<=[.!?…])\s|[,;:]\s|\s[–—-]\s/u);
  const cut = shortened(phrase).replace(/[\s.,;:–—-]+$/u, "");
  const [first = "", ...rest] = [...cut];
  return first === "" ? undefined : first.toLocaleUpperCase() + rest.join("");
}

/** Makes titles that people can tell apart: where two are the same, each begins with its number. */
export function distinctTitles(titles: readonly string[]): readonly string[] {
  if (new Set(titles).size === titles.length) return titles.map(fitted);
  return titles.map((title, index) => numberedTitle(title, index));
}

export function numberedTitle(title: string, index: number): string {
  return fitted(`${index + 1}. ${title}`);
}

function fitted(title: string): string {
  if (title.length <= TRACK_TITLE_MAX) return title;
  return [...title].slice(0, TRACK_TITLE_MAX).join("").trimEnd();
}

function shortened(text: string): string {
  const points = [...text];
  if (points.length <= DRAWN_MAX) return text;
  const cut = points.slice(0, DRAWN_MAX + 1).join("");
  const space = cut.lastIndexOf(" ");
  return space > 0 ? cut.slice(0, space) : points.slice(0, DRAWN_MAX).join("");
}
