import type { Brief } from "./brief.js";

/** Of a title that is drawn from other texts, in code points. */
const DRAWN_LENGTH_MAX = 60;
/** Of any title with its number, in code points (section 8 of the contract). */
const TITLE_LENGTH_MAX = 120;
/** A line that only names a part of the song. */
const HEADER = /^\s*(?:\[[^\]]*\]|\p{L}[\p{L}\s\d-]{2,20}:)\s*$/u;
const NAMELESS = "Untitled";

/**
 * The title of a track: the request's, else the first words of the description or lyrics, at most 60
 * code points and cut between words. Further tracks are numbered; a title with its number has at most 120.
 * @param track 0 for the first one
 */
export function titleOf({ title, subject }: Pick<Brief, "title" | "subject">, track: number): string {
  const name = title ?? drawnFrom(subject);
  const number = track === 0 ? "" : ` (${track + 1})`;
  const kept = [...name].slice(0, TITLE_LENGTH_MAX - number.length).join("");
  return `${kept.trimEnd()}${number}`;
}

function drawnFrom(subject: string): string {
  const line = subject.split(/\r?\n/).find((text) => /[\p{L}\p{N}]/u.test(text) && !HEADER.test(text)) ?? "";
  const plain = line
    .replace(/\[[^\]]*\]/gu, " ")
    .replace(/[\p{C}\s]+/gu, " ")
    .trim();
  const [sentence = plain] = plain.split(/(?<=[.!?…])\s/u);
  const cut = shortened(sentence).replace(/[\s.,;:–—-]+$/u, "");
  const [first = "", ...rest] = [...cut];
  return first === "" ? NAMELESS : first.toLocaleUpperCase() + rest.join("");
}

function shortened(text: string): string {
  const points = [...text];
  if (points.length <= DRAWN_LENGTH_MAX) return text;
  const cut = points.slice(0, DRAWN_LENGTH_MAX + 1).join("");
  const space = cut.lastIndexOf(" ");
  return space > 0 ? cut.slice(0, space) : points.slice(0, DRAWN_LENGTH_MAX).join("");
}
