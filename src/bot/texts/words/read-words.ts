import type { GenerationType } from "../../../contract/model.js";
import { type Meaning, plainSigns, plainWords, type RequestLists, type WordLists } from "./word-lists.js";

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
