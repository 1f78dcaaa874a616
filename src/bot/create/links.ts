/** Links in one message: more than any model takes, and no flood. */
const MOST_LINKS = 50;
const LENGTH_MAX = 2000;

/** The links of a text that holds nothing but http(s) links; undefined for any other text. */
export function linksOf(text: string): readonly string[] | undefined {
  const words = text.trim().split(/\s+/);
  return words.length <= MOST_LINKS && words.every(isLink) ? words : undefined;
}

function isLink(word: string): boolean {
  return /^https?:\/\/./i.test(word) && word.length <= LENGTH_MAX && URL.canParse(word);
}
