/** Words by what they mean: `кошк*` stands for every word that begins so, `cat` for that word alone. */
type Lexicon<Name extends string> = Readonly<Record<Name, string>>;

const NEGATIONS = new Set(["no", "not", "without", "без", "нет", "не"]);
/** Nobody writes more words that matter for a picture. */
const WORDS_MAX = 2000;

/** The words of a text, lower case, `ё` as `е`; a word after "no" or "без" is left out. */
export function wordsOf(text: string): string[] {
  const words =
    text
      .slice(0, WORDS_MAX * 12)
      .toLowerCase()
      .replaceAll("ё", "е")
      .match(/\p{L}+/gu) ?? [];
  return words
    .slice(0, WORDS_MAX)
    .filter((_word, index) => !NEGATIONS.has(words[index - 1] ?? "") && !NEGATIONS.has(words[index] ?? ""));
}

/** The names of a lexicon whose words are in the text, in the order of the text. */
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

/** A prompt taken apart: the words in quotation marks, and what is said around them. */
export interface Quoted {
  /** Each quotation without its marks, in the order of the prompt. */
  texts: readonly string[];
  rest: string;
}

// An apostrophe within a word opens and closes nothing.
const MARKS =
  /«([^«»]+)»|“([^“”]+)”|„([^„“”]+)[“”]|"([^"]+)"|(?<![\p{L}\p{N}])(?:‘([^‘’\n]{1,200})’|'([^'\n]{1,200})')(?![\p{L}\p{N}])/gu;

/** A prompt that is quoted as a whole is meant for type up to this many words. */
const LONE_WORDS_MAX = 3;

/** Takes the quotations out of a prompt. What is quoted as a whole is rest too, and a whole sentence only that. */
export function quotedIn(prompt: string): Quoted {
  const texts: string[] = [];
  const rest = prompt.replaceAll(MARKS, (whole, ...groups: unknown[]) => {
    const text = groups.slice(0, 6).find((group): group is string => typeof group === "string");
    if (!text || !/[\p{L}\p{N}]/u.test(text)) return whole;
    texts.push(text.replaceAll(/\s+/gu, " ").trim());
    return " ";
  });
  if (/[\p{L}\p{N}]/u.test(rest)) return { texts, rest };
  const isSentence = texts.join(" ").split(" ").length > LONE_WORDS_MAX;
  return { texts: isSentence ? [] : texts, rest: prompt };
}

/** At most `length` characters of a text, cut at a word, with dots. */
export function shortened(text: string, length: number): string {
  if (text.length <= length) return text;
  const cut = text.slice(0, length);
  const space = cut.lastIndexOf(" ");
  return `${cut.slice(0, space > length / 2 ? space : length).replace(/[\s\p{P}\uD800-\uDBFF]+$/u, "")}…`;
}

export function capitalised(text: string): string {
  const [first = "", ...others] = [...text];
  return first.toLocaleUpperCase() + others.join("");
}
