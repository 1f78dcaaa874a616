import { GENERATION_TYPES, type GenerationType } from "../../contract/model.js";
import type { Language } from "./texts.js";

/** What a whole message may mean. `start` to `cancel` are commands, `price` and `operator` questions. */
const MEANINGS = [
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
type Meaning = (typeof MEANINGS)[number];

/** The words of every language that the bot understands. A locale lists them, separated by commas. */
export interface WordLists {
  /** Meanings by words in the form of `plainWords`, or by emoji in the form of `plainSigns`. */
  meanings: ReadonlyMap<string, Meaning>;
  request: RequestLists;
}

/** The parts of a request such as “please make me a video of a fox”, each in lower case. */
interface RequestLists {
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
function plainWords(text: string): string {
  const letters = text.toLowerCase().replaceAll("ё", "е").replace(HELD_DOWN, "$1");
  return letters.replace(/[^\p{L}\p{N}]+/gu, " ").trim();
}

/** Reduces a text to signs and emoji, each once, without the tone of the skin. */
function plainSigns(text: string): string {
  const bare = text.replace(/\s|\uFE0F|\p{Emoji_Modifier}/gu, "");
  return [...new Set(bare)].join("");
}

/** What a message says besides a description. `wordless`: numbers, signs or emoji alone. */
export type Said =
  | { kind: Meaning | "wordless" }
  /** Asks for a result of this type. `text` is its description, or empty. */
  | { kind: "request"; type: GenerationType; text: string };

/** The most words that a message of a known meaning has. */
const WORDS_MAX = 8;
/** The most UTF-16 units of a message of signs and emoji. Longer ones are a description. */
const WORDLESS_MAX = 40;

/** Reads what a message says. Undefined for a description. */
export function readWords(text: string, lists: WordLists): Said | undefined {
  const meaning = meaningOf(text, lists.meanings);
  if (meaning) return { kind: meaning };
  if (/\p{L}/u.test(text)) return readMediaRequest(text, lists.request);
  return text.length <= WORDLESS_MAX ? { kind: "wordless" } : undefined;
}

function meaningOf(text: string, meanings: WordLists["meanings"]): Meaning | undefined {
  const words = plainWords(text);
  if (words === "") return meanings.get(plainSigns(text));
  if (words.split(" ").length > WORDS_MAX) return undefined;
  const whole = meanings.get(words);
  if (whole) return whole;
  // “OK, thanks!”: each part has a meaning, and the last one counts.
  const parts = text.split(/[^\p{L}\p{N}\s'’-]+/u).map(plainWords);
  const meant = parts.filter((part) => part !== "").map((part) => meanings.get(part));
  return meant.length > 1 && meant.every((one) => one !== undefined) ? meant.at(-1) : undefined;
}

export function readMediaRequest(
  text: string,
  lists: RequestLists,
): Extract<Said, { kind: "request" }> | undefined {
  const [, verb, noun = "", after = ""] = patternOf(lists).exec(text) ?? [];
  const type = lists.nouns.get(noun.toLowerCase().replaceAll("ё", "е").replace(/\s+/g, " "));
  // «видео-арт»
  if (!type || /^-\p{L}/u.test(after)) return undefined;
  const rest = after.trim();
  const isSeparated = /^(?::|\s+[-–—]\s)/.test(after);
  const description = withoutLink(rest.replace(/^[\s:,.!?–—-]+/, ""), lists);
  if (!verb && description !== "") {
    // “Video games” and a song text that begins with a noun are descriptions.
    const isJoined = type !== "image" && !text.includes("\n") && joinsIn(lists).test(rest);
    if (!isSeparated && !isJoined) return undefined;
  }
  if (verb && type !== "image" && /^\s+[\p{L}\p{N}]/u.test(after) && !joinsIn(lists).test(rest)) {
    // “Draw a movie poster” asks for a picture; the noun of “make a music album cover” is part of another one.
    if (lists.imageVerbs.has(verb.toLowerCase())) return undefined;
    if (/^[a-z]/i.test(noun)) return { kind: "request", type, text: text.trim() };
  }
  // A picture may be described by its noun: a photo, a drawing.
  return { kind: "request", type, text: type === "image" && description !== "" ? text.trim() : description };
}

const patterns = new WeakMap<RequestLists, RegExp>();

/** Builds a pattern with three groups: the verb, the noun, and what follows. */
function patternOf(lists: RequestLists): RegExp {
  const known = patterns.get(lists);
  if (known) return known;
  const gap = "[\\s,!.]*";
  const fillers = `(?:${oneOf(lists.fillers)}${gap})*`;
  const nouns = oneOf([...lists.nouns.keys()]).replace("(?:", "(");
  const verbs = oneOf(lists.verbs).replace("(?:", "(");
  const pattern = new RegExp(`^\\s*${fillers}(?:${verbs}${gap}${fillers})?${nouns}([^]*)$`, "iu");
  patterns.set(lists, pattern);
  return pattern;
}

function joinsIn({ joints }: RequestLists): RegExp {
  return new RegExp(`^${oneOf(joints)}`, "iu");
}

function withoutLink(text: string, { links }: RequestLists): string {
  return text.replace(new RegExp(`^${oneOf(links)}[\\s:]*`, "iu"), "");
}

/** Matches whole words of a list, the longest first. */
function oneOf(words: readonly string[]): string {
  const sorted = [...words].sort((one, other) => other.length - one.length);
  const escaped = sorted.map((one) =>
    one
      .replace(/[.*+?^${}()|[\]\\]/g, "\\$&")
      .replace(/\s+/g, "\\s+")
      .replaceAll(/[её]/g, "[её]")
      .replaceAll("'", "['’]"),
  );
  return `(?:${escaped.join("|")})(?![\\p{L}\\p{N}])`;
}
