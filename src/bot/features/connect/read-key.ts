/** Matches what may be a key, which travels in a header. */
const KEY = /^[\x21-\x7e]{8,512}$/;
/** Matches a word that is longer than those of other texts, links aside. */
const LONG_WORD = /^[\x21-\x7e]{20,512}$/;
const LINK = /^(?:https?:|\/)/i;

/** Reads the key from what a person sent as one: the only word, or the only long one. */
export function readKey(text: string): string | undefined {
  const words = text.trim().split(/\s+/);
  const [only = ""] = words;
  if (words.length === 1) return KEY.test(only) && !LINK.test(only) ? only : undefined;
  return findKey(text);
}

/** Finds the word of a text that can only be a key. */
export function findKey(text: string): string | undefined {
  const long = text.split(/\s+/).filter((word) => LONG_WORD.test(word) && !LINK.test(word));
  return long.length === 1 ? long[0] : undefined;
}
