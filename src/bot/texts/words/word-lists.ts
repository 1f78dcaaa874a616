import { GENERATION_TYPES, type GenerationType } from "../../../contract/model.js";
import type { Language } from "../texts.js";

/** What a whole message may mean. `start` to `cancel` are commands, `price` and `operator` questions. */
export const MEANINGS = [
  "start",
  "help",
  "balance",
  "language",
  "cancel",
  "price",
  "operator",
  "thanks",
  "yes",
  "no",
] as const;
export type Meaning = (typeof MEANINGS)[number];

/** The words of every language that the bot understands. A locale lists them, separated by commas. */
export interface WordLists {
  /** Meanings by words in the form of `plainWords`, or by emoji in the form of `plainSigns`. */
  meanings: ReadonlyMap<string, Meaning>;
  request: RequestLists;
}

/** The parts of a request such as “please make me a video of a fox”, each in lower case. */
export interface RequestLists {
  verbs: readonly string[];
  /** Verbs that ask for a picture, whatever it shows. */
  imageVerbs: ReadonlySet<string>;
  fillers: readonly string[];
  nouns: ReadonlyMap<string, GenerationType>;
  /** Words that join a noun without a verb to a description. */
  joints: readonly string[];
  /** Words after the noun that are no part of the description. */
  links: readonly string[];
}

export function readWordLists(languages: readonly Pick<Language, "t">[]): WordLists {
  const listed = (key: string) =>
    languages.flatMap(({ t }) => t(key).split(",")).map((words) => words.trim().toLowerCase());
  const nouns = GENERATION_TYPES.flatMap((type) =>
    listed(`request-nouns-${type}`).map((noun) => [noun, type] as const),
  );
  return {
    meanings: new Map(
      MEANINGS.flatMap((meaning) =>
        listed(`words-${meaning}`).map((words) => [plainWords(words) || plainSigns(words), meaning] as const),
      ),
    ),
    request: {
      verbs: [...listed("request-verbs"), ...listed("request-verbs-image")],
      imageVerbs: new Set(listed("request-verbs-image")),
      fillers: listed("request-fillers"),
      nouns: new Map(nouns),
      joints: listed("request-joints"),
      links: listed("request-links"),
    },
  };
}

/** Matches a repeated letter: «привееет», "hiii". */
const HELD_DOWN = /(\p{L})\1{2,}/gu;

/** Reduces a text to words and numbers in lower case, without punctuation and emoji. */
export function plainWords(text: string): string {
  const letters = text.toLowerCase().replaceAll("ё", "е").replace(HELD_DOWN, "$1");
  return letters.replace(/[^\p{L}\p{N}]+/gu, " ").trim();
}

/** Reduces a text to signs and emoji, each once, without the tone of the skin. */
export function plainSigns(text: string): string {
  const bare = text.replace(/\s|\uFE0F|\p{Emoji_Modifier}/gu, "");
  return [...new Set(bare)].join("");
}
