/** A repeated letter: «привееет», "hiii". */
const HELD_DOWN = /(\p{L})\1{2,}/gu;
const WAVES = /^(?:👋\p{Emoji_Modifier}?\s*)+$/u;

/** Ignores case, punctuation and emoji. */
export function isGreeting(text: string, greetings: ReadonlySet<string>): boolean {
  return WAVES.test(text.trim()) || greetings.has(plainWords(text));
}

/** @param lists greetings separated by commas, as the locales write them */
export function greetingsIn(lists: readonly string[]): ReadonlySet<string> {
  return new Set(lists.flatMap((list) => list.split(",")).map(plainWords));
}

function plainWords(text: string): string {
  const letters = text.toLowerCase().replaceAll("ё", "е").replace(HELD_DOWN, "$1");
  return letters.replace(/[^\p{L}\p{N}]+/gu, " ").trim();
}
