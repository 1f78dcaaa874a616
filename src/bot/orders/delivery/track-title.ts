import { codePoints } from "../../texts/html.js";

/** The code points of a title that the player of a phone shows. */
const SHOWN = 40;
/** The fewest code points of a beginning: a shorter one says too little. */
const BEGINNING_MIN = 8;

/** Makes the title of a track, which ends at a word. `number`: of one of several, first since titles are alike. */
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
