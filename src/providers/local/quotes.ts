/** A prompt apart: the words in quotation marks, and what is said around them. */
export interface Quoted {
  /** Each quotation without its marks, in the order of the prompt. */
  texts: readonly string[];
  rest: string;
}

// An apostrophe within a word opens and closes nothing.
const MARKS =
  /«([^«»]+)»|“([^“”]+)”|„([^„“”]+)[“”]|"([^"]+)"|(?<![\p{L}\p{N}])(?:‘(.+?)’|'(.+?)')(?![\p{L}\p{N}])/gu;

/** Takes the quotations out of a prompt. A prompt that is one quotation as a whole is still all rest. */
export function quotedIn(prompt: string): Quoted {
  const texts: string[] = [];
  const rest = prompt.replaceAll(MARKS, (whole, ...groups: unknown[]) => {
    const text = groups.slice(0, 6).find((group): group is string => typeof group === "string");
    if (!text || !/[\p{L}\p{N}]/u.test(text)) return whole;
    texts.push(text.replaceAll(/\s+/gu, " ").trim());
    return " ";
  });
  return { texts, rest: /[\p{L}\p{N}]/u.test(rest) ? rest : prompt };
}
