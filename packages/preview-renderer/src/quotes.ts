/** A prompt apart: the words in quotation marks, and what is said around them. */
export interface Quoted {
  /** Each quotation without its marks, in the order of the prompt. */
  texts: readonly string[];
  rest: string;
}

// An apostrophe within a word opens and closes nothing.
const MARKS =
  /«([^«»]+)»|“([^“”]+)”|„([^„“”]+)[“”]|"([^"]+)"|(?<![\p{L}\p{N}])(?:‘(.+?)’|'(.+?)')(?![\p{L}\p{N}])/gu;

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
