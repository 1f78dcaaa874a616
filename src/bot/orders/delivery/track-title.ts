import { codePoints } from "../../texts/html.js";

/** What the player of a phone shows of a title, in code points. */
const SHOWN = 40;
/** A shorter beginning says too little, in code points. */
const BEGINNING_MIN = 8;

/**
 * The title of a track in the chat, which ends at a word.
 * @param number of one of several tracks: it is first, since their titles are alike
 */
export function trackTitle(title: string, number: number | undefined): string {
  if (number === undefined) return shortened(title);
  const [prefix, suffix] = [`${number}. `, ` (${number})`];
  const bare = title.startsWith(prefix) ? title.slice(prefix.length) : title;
  const own = bare.endsWith(suffix) ? bare.slice(0, -suffix.length) : bare;
  return `${prefix}${shortened(own)}`;
}

function shortened(title: string): string {
  if (codePoints(title) <= SHOWN) return title;
  const beginning = [...title].slice(0, SHOWN + 1).join("");
  const phrase = beginning.split(/[,.;:!?\n]|\s[–—-]\s/u)[0]?.trimEnd() ?? "";
  if (codePoints(phrase) >= BEGINNING_MIN && phrase !== beginning) return phrase;
  const words = beginning.replace(/\s+\S*$/u, "");
  return `${words === beginning ? [...title].slice(0, SHOWN - 1).join("") : words}…`;
}
