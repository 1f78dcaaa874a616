/** Alphabets as the inside of a character class, from the narrowest. */
const ALPHABETS = ["0-9a-f", "0-9A-F", "0-9a-z", "0-9A-Z", "0-9A-Za-z", "\\w-"] as const;
/** The fewest random characters of a key: fewer are a word. */
const RANDOM_MIN = 12;

/**
 * Finds keys like this one in a text: of the same prefix, length and alphabet. The prefix ends at the last underscore,
 * or at the first where the rest may hold others. A key that has no such shape finds itself alone.
 */
export function keysLike(key: string): (text: string) => string | undefined {
  const ends = new Set([key.lastIndexOf("_") + 1, key.indexOf("_") + 1]);
  const patterns = [...ends].map((end) => patternOf(key, end)).filter((pattern) => pattern !== undefined);
  return (text) => {
    for (const pattern of patterns) {
      const [found] = pattern.exec(text) ?? [];
      if (found !== undefined) return found;
    }
    return text.includes(key) ? key : undefined;
  };
}

function patternOf(key: string, end: number): RegExp | undefined {
  const random = key.slice(end);
  const alphabet = ALPHABETS.find((letters) => new RegExp(`^[${letters}]+$`).test(random));
  if (random.length < RANDOM_MIN || alphabet === undefined) return undefined;
  const prefix = key.slice(0, end).replace(/[^\w]/g, "\\$&");
  // Without a prefix a word of that length may be a word.
  const hasDigit = /\d/.test(random) ? `(?=[${alphabet}]*\\d)` : "";
  return new RegExp(`(?<![\\w-])${prefix}${hasDigit}[${alphabet}]{${random.length}}(?![\\w-])`);
}
