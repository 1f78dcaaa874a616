type Lexicon<Name extends string> = Readonly<Record<Name, string>>;

const NEGATIONS = new Set(["no", "not", "without", "без", "нет", "не"]);

/** The words of a prompt, lower case, `ё` as `е`; a word behind "no" or "без" is left out. */
export function wordsOf(prompt: string): string[] {
  const words =
    prompt
      .toLowerCase()
      .replaceAll("ё", "е")
      .match(/\p{L}+/gu) ?? [];
  return words.filter((_word, index) => !NEGATIONS.has(words[index - 1] ?? ""));
}

/**
 * The names of a lexicon whose words are in the text, in the order of the text. A lexicon's entry is
 * words behind blanks: `кошк*` stands for every word that begins so, `cat` for that word alone.
 */
export function found<Name extends string>(words: readonly string[], lexicon: Lexicon<Name>): Name[] {
  const names = new Map<Name, number>();
  for (const name of Object.keys(lexicon) as Name[]) {
    for (const entry of lexicon[name].split(" ")) {
      const stem = entry.slice(0, -1);
      const index = entry.endsWith("*")
        ? words.findIndex((word) => word.startsWith(stem))
        : words.indexOf(entry);
      if (index >= 0) names.set(name, Math.min(index, names.get(name) ?? index));
    }
  }
  return [...names].sort(([, first], [, second]) => first - second).map(([name]) => name);
}

/** True when a lexicon's entry has the word. */
export function isIn(word: string, entry: string): boolean {
  return found([word], { entry }).length > 0;
}
